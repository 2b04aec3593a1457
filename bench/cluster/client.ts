import { once } from "node:events";
import { WebSocket } from "ws";
import { machineTime } from "../../test/kit/model-server/fixed.ts";
import { BENCH_KEY } from "../http-load.ts";

/** An event of a session, as a client gets it. */
interface SessionEvent {
  readonly type: string;
  readonly session_id: string;
  readonly payload: { readonly text?: string; readonly status?: string };
}

interface Frame {
  readonly id?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
  readonly params?: SessionEvent;
}

/** Text of a host that is gone may still arrive for so long. */
const ON_THE_WAY_MS = 2_000;

/** A text as one reader saw it: all deltas, when each came, and how the turn ended. */
export class SeenTurn {
  text = "";
  /** Milliseconds from the model's write to here, of each token. */
  readonly delays: number[] = [];
  /** When the first text came, by the clock of the machine. */
  first: number | undefined;
  /** What the host says that the whole text is. */
  whole: string | undefined;
  status: string | undefined;
  readonly begun = Promise.withResolvers<void>();
  readonly over = Promise.withResolvers<void>();
  /** Text came again after it was noted that its host is gone. */
  readonly resumed = Promise.withResolvers<void>();
  /** When the turn ended, or went on after its host was gone. */
  settledAt: number | undefined;
  #goneAt = Number.POSITIVE_INFINITY;
  #rest = "";

  add(text: string): void {
    const now = machineTime();
    this.first ??= now;
    this.begun.resolve();
    if (now > this.#goneAt + ON_THE_WAY_MS) {
      this.settledAt ??= now;
      this.resumed.resolve();
    }
    this.text += text;
    const tokens = (this.#rest + text).split(" ");
    this.#rest = tokens.pop() ?? "";
    for (const token of tokens) this.delays.push(now - Number(token.slice(token.indexOf("@") + 1)));
  }

  end({ text, status }: SessionEvent["payload"]): void {
    this.whole = text;
    this.status = status;
    this.settledAt ??= machineTime();
    this.over.resolve();
  }

  /** The host that drove it is gone: what comes from now on comes from another one, but for what is on its way. */
  note(): void {
    this.#goneAt = machineTime();
  }

  /** Whether all tokens came, each once and in order, and the host says the same. */
  isWhole(tokens: number): boolean {
    return this.whole === this.text && this.tokens === tokens;
  }

  /** How many tokens came in order; -1 when one was lost, doubled or moved. */
  get tokens(): number {
    const tokens = this.text.split(" ").slice(0, -1);
    return tokens.every((token, place) => token.startsWith(`${place}@`)) ? tokens.length : -1;
  }
}

/** A connection to a host, for many sessions. */
export class ClusterClient implements Disposable {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  /** The turn that runs in a session, as this client sees it. */
  readonly seen = new Map<string, SeenTurn>();
  #last = 0;

  constructor(url: string) {
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, {
      headers: { authorization: `Bearer ${BENCH_KEY}` },
      perMessageDeflate: false,
    });
    this.#socket.on("message", (data: Buffer) => this.#take(JSON.parse(data.toString()) as Frame));
    this.#socket.on("close", () => this.#fail());
    this.#socket.on("error", () => this.#fail());
  }

  async open(): Promise<this> {
    await once(this.#socket, "open");
    return this;
  }

  request(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    this.#last += 1;
    const id = String(this.#last);
    const waiting = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    this.#waiting.set(id, waiting);
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return waiting.promise;
  }

  /** Follows a session from its beginning: its first turn, however far that is. */
  async follow(session: string): Promise<SeenTurn> {
    const turn = new SeenTurn();
    this.seen.set(session, turn);
    await this.request("session.resume", { session_id: session, omit_messages: true, last_seen: 0 });
    return turn;
  }

  /** Sends a prompt and waits for the end of its turn. */
  async turn(session: string): Promise<SeenTurn> {
    const turn = new SeenTurn();
    this.seen.set(session, turn);
    await this.request("prompt.submit", { session_id: session, text: "hi" });
    await turn.over.promise;
    return turn;
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #fail(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error("The connection to a host broke."));
    this.#waiting.clear();
  }

  #take({ id, result, error, params }: Frame): void {
    if (id !== undefined) {
      if (error === undefined) this.#waiting.get(id)?.resolve(result ?? {});
      else this.#waiting.get(id)?.reject(new Error(error.message));
      this.#waiting.delete(id);
    }
    if (params === undefined) return;
    const turn = this.seen.get(params.session_id);
    if (params.type === "message.delta") turn?.add(params.payload.text ?? "");
    if (params.type === "message.complete") turn?.end(params.payload);
  }
}

/** Opens so many connections to each host. */
export async function connectTo(
  hosts: readonly { readonly url: string }[],
  each: number,
): Promise<readonly (readonly ClusterClient[])[]> {
  return await Promise.all(
    hosts.map(({ url }) => Promise.all(Array.from({ length: each }, () => new ClusterClient(url).open()))),
  );
}
