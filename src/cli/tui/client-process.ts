import { HostError } from "../../shared/errors/host-error.ts";
import type { Connect } from "../../rpc/client/index.ts";
import type { FirstSession } from "../../tui/session-controller.ts";
import type { ChatFlags } from "./chat-flags.ts";
import { onSignals } from "../../app/process/signals.ts";
import { EXIT, type Io } from "../../app/process/io.ts";
import { embeddedGateway, gatewayAt, reportingFailure } from "./connect.ts";
import { writeWithoutBlocking } from "./write-without-blocking.ts";
import { optimizeHeapForSize } from "./optimize-heap.ts";

/** The life of a client in this process: its gateway, the signals that end it, and its exit code. */
export class ClientProcess implements AsyncDisposable {
  readonly #io: Io;
  readonly #ending = new AbortController();
  readonly #owned = new AsyncDisposableStack();
  readonly #signals: Disposable;
  #failure: { readonly thrown: unknown } | undefined;
  #code: number = EXIT.completed;

  constructor(io: Io) {
    this.#io = io;
    this.#owned.defer(writeWithoutBlocking(io.stdout));
    this.#signals = onSignals(io, ["SIGTERM", "SIGHUP"], this.#terminate);
  }

  /** Aborts when the client must end. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The exit code of a client that ended by itself, or because it had to. */
  get code(): number {
    return this.#code;
  }

  /** The way to the gateway that the flags name; to one in this process when they name none. */
  async connect({ attach }: ChatFlags): Promise<Connect> {
    if (attach !== undefined) return optimizeHeapForSize(await gatewayAt(attach, this.#io));
    const embedded = reportingFailure(embeddedGateway(this.#io, this.#owned), (thrown) => {
      this.#failure = { thrown };
      this.#ending.abort();
    });
    return optimizeHeapForSize(embedded);
  }

  /** @throws what kept the gateway in this process from opening */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // From here on a second signal ends the process at once, even while the gateway closes.
    this.#signals[Symbol.dispose]();
    await this.#owned.disposeAsync();
  }

  readonly #terminate = (): void => {
    this.#code = EXIT.terminated;
    this.#ending.abort();
  };
}

/**
 * The session that the flags name.
 *
 * @throws HostError `command_usage` when they name several
 */
export function firstSession(
  io: Io,
  { session, resume, continue: last, model, attach }: ChatFlags,
): FirstSession {
  if ([session, resume, last].filter((each) => each !== undefined).length > 1)
    throw new HostError("command_usage", "Only one of --continue, --resume and --session can be given.");
  if (resume === "")
    throw new HostError("command_usage", "--resume needs an id or a title, or nothing at all.");
  return {
    resume: session ?? (resume === true ? undefined : resume),
    last,
    pick: resume === true,
    model,
    // Elsewhere, this machine's folders mean nothing.
    cwd: attach === undefined ? io.cwd : undefined,
  };
}
