import { HostError } from "../../shared/errors/host-error.ts";
import type { Connect } from "../../rpc/client/index.ts";
import type { FirstSession } from "../../tui/session-controller.ts";
import { type LocalWork, NO_LOCAL_WORK } from "../../tui/local-work.ts";
import type { LeftSession } from "../../tui/state/left-session.ts";
import type { ChatFlags } from "./chat-flags.ts";
import type { Agent } from "../../app/compose.ts";
import type { AloneNote } from "../../app/detached/go-on-alone.ts";
import { onSignals } from "../../app/process/signals.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { modelFlag } from "../model/model-flag.ts";
import { embeddedGateway, gatewayAt, optimizeHeapForSize } from "./connect.ts";
import { editOutside } from "./edit-outside.ts";
import { writeWithoutBlocking } from "./write-without-blocking.ts";

/** Exit codes of signals that end the process with all that it does; SIGHUP ends the client alone. */
const TOLD_CODES = { SIGINT: EXIT.interrupted, SIGQUIT: EXIT.quit, SIGTERM: EXIT.terminated } as const;
const TOLD_TO_END = "Its process was told to end.";

/**
 * The life of a client in this process: its gateway, the signals that end it, and its exit code. Turns that run here
 * outlive the client and its terminal.
 */
export class ClientProcess implements AsyncDisposable {
  readonly #io: Io;
  readonly #flags: ChatFlags;
  readonly #ending = new AbortController();
  /** The process is told to end, with all that it does. */
  readonly #told = new AbortController();
  readonly #owned = new AsyncDisposableStack();
  readonly #signals: Disposable;
  #agent: Agent | undefined;
  #failure: { readonly thrown: unknown } | undefined;
  #code: number = EXIT.completed;
  #stopped = false;
  #alone: Promise<AloneNote> | undefined;
  /** Another program has the terminal, whose keys send signals to this process too. */
  #isLent = false;

  /** @param keys - the client reads all keys itself: SIGINT and SIGQUIT come from outside, and end it */
  constructor(io: Io, flags: ChatFlags, keys: "all" | "lines") {
    this.#io = io;
    this.#flags = flags;
    this.#owned.defer(writeWithoutBlocking(io.stdout));
    const typed = keys === "all" ? (["SIGINT", "SIGQUIT"] as const) : [];
    this.#signals = onSignals(io, ["SIGTERM", "SIGHUP", ...typed], (signal) => {
      if (signal === "SIGINT" || signal === "SIGQUIT" || signal === "SIGTERM") this.#tell(signal);
      else this.#terminate();
    });
    // Its window was closed without a signal.
    const { stdin, stdout } = io;
    if (stdin.isTTY === true && stdout.isTTY === true)
      for (const event of ["error", "end"]) stdin.once(event, this.#terminate);
  }

  /** Aborts when the client must end. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** What runs in this process. */
  get local(): LocalWork {
    if (this.#flags.attach !== undefined) return NO_LOCAL_WORK;
    return {
      running: () => this.#agent?.host.running ?? 0,
      commands: () => this.#agent?.background.running() ?? [],
      stop: () => this.#stopTurns(),
    };
  }

  /** The way to the gateway that the flags name; to one in this process when they name none. */
  async connect(): Promise<Connect> {
    const { attach } = this.#flags;
    if (attach !== undefined) return optimizeHeapForSize(await gatewayAt(attach, this.#io));
    const opened = (agent: Agent): void => {
      this.#agent = agent;
    };
    const embedded = embeddedGateway(this.#io, this.#owned, opened);
    return optimizeHeapForSize((sink, signal) =>
      embedded(sink, signal).catch((thrown: unknown) => {
        // Waiting mends nothing.
        this.#failure = { thrown };
        this.#ending.abort();
        throw thrown;
      }),
    );
  }

  /** Lends the terminal to a program in which the person edits a text; gives the text, nothing when it failed. */
  async edit(text: string): Promise<string | undefined> {
    this.#isLent = true;
    try {
      return await editOutside(text, this.#io);
    } finally {
      // Before signals end the client again: a key that was pressed once too often is none from here on.
      if (!this.signal.aborted) this.#io.stdin.setRawMode?.(true);
      this.#isLent = false;
    }
  }

  /** Resolves when the tools of MCP servers are there, or will not be soon; at once for a gateway elsewhere. */
  async toolsReady(): Promise<void> {
    await this.#agent?.mcp.readyForTurn(this.signal);
  }

  /** @throws what kept the gateway in this process from opening */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /**
   * The client has left: says how to go on, and lets the turns that run here go on without the terminal.
   *
   * @returns the exit code, when they are done
   */
  async leave(shown: LeftSession | undefined, failed = false): Promise<number> {
    const agent = this.#agent;
    const runs = agent !== undefined && agent.host.running > 0;
    this.#noteAlone();
    const note = await this.#alone;
    const alone = this.#mayGoOn ? note : undefined;
    await write(this.#io.stdout, this.#farewell(shown, alone?.id));
    if (runs && this.#told.signal.aborted) await agent.host.close({ reason: TOLD_TO_END });
    if (agent === undefined || alone === undefined) {
      await note?.forget();
      return failed ? EXIT.failed : this.#code;
    }
    const { goOnAlone } = await import("../../app/detached/go-on-alone.ts");
    this.#io.leaveTerminal();
    await goOnAlone(agent, alone, this.#told.signal);
    return EXIT.completed;
  }

  /** Turns run here, and outlive the terminal. Without one there is none to leave: who started this process waits for its end. */
  get #mayGoOn(): boolean {
    return this.local.running() > 0 && this.#io.stdin.isTTY === true && !this.#told.signal.aborted;
  }

  /** Notes it before the terminal is left, which takes a while: others look for such turns meanwhile. */
  #noteAlone(): void {
    const agent = this.#agent;
    if (agent === undefined || !this.#mayGoOn) return;
    const { pid, cwd } = this.#io;
    this.#alone ??= import("../../app/detached/go-on-alone.ts").then(({ noteAlone }) =>
      noteAlone(agent, { pid, cwd }),
    );
    // A failure is heard when the client has left.
    this.#alone.catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // From here on a second signal ends the process at once, even while the gateway closes.
    this.#signals[Symbol.dispose]();
    await this.#owned.disposeAsync();
  }

  #farewell(shown: LeftSession | undefined, alone: string | undefined): string {
    const { attach } = this.#flags;
    const lines: string[] = [];
    if (alone !== undefined)
      lines.push(
        `The turn goes on without this window: agent attach ${alone} watches it, agent stop ${alone} ends it.`,
      );
    else if (
      shown?.running === true &&
      !this.#stopped &&
      !this.#told.signal.aborted &&
      this.local.running() === 0
    )
      lines.push("The turn goes on where it runs.");
    const where = attach === undefined ? "" : " --attach …";
    if (shown !== undefined) lines.push(`Go on with: agent${where} --resume ${shown.id}`);
    return lines.map((line) => `${line}\n`).join("");
  }

  async #stopTurns(): Promise<void> {
    const { stopTurns } = await import("../../app/detached/stop-turns.ts");
    if (this.#agent === undefined) return;
    // What the client shows may not know of the end yet when it leaves.
    this.#stopped = true;
    await stopTurns(this.#agent.host, { surface: "tui" });
    await this.#agent.host.idle();
  }

  #tell(signal: keyof typeof TOLD_CODES): void {
    const isTyped = signal !== "SIGTERM";
    if (isTyped && this.#isLent) return;
    // Who presses Ctrl+C again, where no client reads it any more, does not want to wait for the end.
    if (isTyped && this.#told.signal.aborted) this.#io.exit(TOLD_CODES[signal]);
    this.#told.abort();
    this.#terminate();
    this.#code = TOLD_CODES[signal];
  }

  readonly #terminate = (): void => {
    this.#code = EXIT.terminated;
    this.#noteAlone();
    this.#ending.abort();
  };
}

/** The session that the flags name. @throws HostError `command_usage` when they name several */
export function firstSession(
  io: Io,
  { session, resume, continue: last, model, demo, attach, mode, prompt, set }: ChatFlags,
): FirstSession {
  if ([session, resume, last].filter((each) => each !== undefined).length > 1)
    throw new HostError("command_usage", "Only one of --continue, --resume and --session can be given.");
  if (resume === true && prompt !== undefined)
    throw new HostError("command_usage", "A prompt needs to know its session: --resume <id|title>, or -c.");
  if (set !== undefined && attach !== undefined)
    throw new HostError(
      "command_usage",
      "--set is for this process: a gateway elsewhere has its own settings.",
    );
  if (resume === "")
    throw new HostError("command_usage", "--resume needs an id or a title, or nothing at all.");
  return {
    resume: session ?? (resume === true ? undefined : resume),
    last,
    pick: resume === true,
    model: modelFlag({ demo, model }),
    mode,
    prompt,
    // Elsewhere, this machine's folders mean nothing.
    cwd: attach === undefined ? io.cwd : undefined,
  };
}
