import { isJsonObject } from "../../src/shared/json/json.ts";
import type { RpcGateway } from "../../src/rpc/index.ts";
import type { Receiver, Wire } from "../../src/rpc/wire.ts";
import { eventFault, resultFault } from "./wire-form.ts";

type Frame = Readonly<Record<string, unknown>>;

/** An answer as it came; tests look into it. */
interface RawAnswer {
  readonly id: unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever it expects to be there
  readonly result?: any;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

/** The `params` of an event. */
interface RawEvent {
  readonly type: string;
  readonly session_id?: string;
  readonly seq?: number;
  readonly at?: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly payload: any;
}

/**
 * A client that knows nothing but frames: what it sends is what a test writes down. It looks whether events, and
 * results that it asked for, have the form that the protocol promises.
 */
export class RawClient {
  readonly frames: Frame[] = [];
  readonly #faults: string[] = [];
  readonly #looking = new Set<() => void>();
  readonly #send: (text: string) => void;
  #last = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  take(text: string): void {
    const frame: unknown = JSON.parse(text);
    if (!isJsonObject(frame)) throw new Error(`Not an object: ${text}`);
    this.frames.push(frame);
    // As the protocol says.
    if (frame["method"] === "event") this.#note(eventFault(frame["params"] as RawEvent));
    for (const look of this.#looking) look();
  }

  send(frame: unknown): void {
    this.#send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** Sends a request and gives its whole answer. */
  async ask(method: string, params?: unknown): Promise<RawAnswer> {
    const id = `t${(this.#last += 1)}`;
    this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    const frame = await this.frame((each) => each["id"] === id && !("method" in each));
    if ("result" in frame) this.#note(resultFault(method, frame["result"]));
    return { id, ...frame };
  }

  /** The same; an error is a failure of the test. */
  async call(method: string, params?: unknown): Promise<NonNullable<RawAnswer["result"]>> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  #note(fault: string | undefined): void {
    if (fault !== undefined) this.#faults.push(fault);
  }

  get events(): readonly RawEvent[] {
    return this.frames.flatMap((frame) =>
      // Every frame of this method is one, as the protocol says.
      frame["method"] === "event" ? [frame["params"] as RawEvent] : [],
    );
  }

  /** The first frame from `after` on that matches, which may have come already. */
  frame(matches: (frame: Frame) => boolean, after = 0): Promise<Frame> {
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    const look = (): void => {
      if (this.#faults.length > 0) reject(new Error(this.#faults.join("\n")));
      const found = this.frames.slice(after).find(matches);
      if (found === undefined) return;
      this.#looking.delete(look);
      resolve(found);
    };
    this.#looking.add(look);
    look();
    return promise;
  }

  /** The first event of a type, among those after the first `after` frames. */
  async event(
    type: string,
    matches: (event: RawEvent) => boolean = () => true,
    after = 0,
  ): Promise<RawEvent> {
    const frame = await this.frame((each) => {
      const event = each["params"] as RawEvent | undefined;
      return each["method"] === "event" && event?.type === type && matches(event);
    }, after);
    return frame["params"] as RawEvent;
  }

  /** The end of a session's turn, the first or a later one: the info after its answer, which says that it is over. */
  async ended(sessionId: string, turns = 1): Promise<RawEvent> {
    const isOver = ({ type, payload }: RawEvent): boolean => type === "session.info" && !payload.running;
    const find = (): RawEvent | undefined => {
      const own = this.events.filter(({ session_id }) => session_id === sessionId);
      const completes = own.flatMap(({ type }, index) => (type === "message.complete" ? [index] : []));
      const last = completes[turns - 1];
      return last === undefined ? undefined : own.slice(last).find(isOver);
    };
    await this.frame(() => find() !== undefined);
    // It has just been found.
    return find() as RawEvent;
  }

  /** The text of a session's answers as its deltas say it. */
  text(sessionId: string, from = 0): string {
    return this.events
      .slice(from)
      .filter(({ type, session_id }) => type === "message.delta" && session_id === sessionId)
      .map(({ payload }) => String(payload.text))
      .join("");
  }
}

/** A client and a gateway in one process; what one sends, the other has in the next microtask. */
export interface LinkedClient extends RawClient {
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  disconnect(): void;
}

export function link(gateway: RpcGateway, { heartbeat = true } = {}): LinkedClient {
  let closed: { code: number; reason: string } | undefined;
  let over = false;
  const wire: Wire = {
    heartbeat,
    async send(message) {
      await Promise.resolve();
      if (!over) client.take(message);
    },
    pause: () => undefined,
    resume: () => undefined,
    close(code, reason) {
      closed = { code, reason };
      end();
    },
  };
  const end = (): void => {
    if (over) return;
    over = true;
    receiver.closed();
  };
  const client = new RawClient((text) => queueMicrotask(() => over || receiver.message(text)));
  const receiver: Receiver = gateway.accept(wire);
  return Object.assign(client, {
    disconnect: end,
    get closed() {
      return closed;
    },
  });
}
