import type { RawData, WebSocket } from "ws";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import {
  commonVersion,
  type Greeting,
  hello,
  isProof,
  newGreeting,
  linkProof,
  type Sides,
  type LinkVersions,
} from "./handshake.ts";
import { LinkSeal } from "./link-seal.ts";
import { type LinkMessage, linkMessage } from "./messages.ts";

/** Milliseconds for the greetings. */
const GREETING_MS = 5000;
const PING_MS = 4000;
/** A link through which nothing has come for so long is no more. */
const SILENCE_MS = 10_000;
/** Characters of a frame; what is more goes in the next one. */
const FRAME = 1024 * 1024;

/** The parts of a link, and what it is for. */
export interface PeerLinkParts {
  readonly socket: WebSocket;
  readonly clock: Clock;
  readonly hostId: string;
  readonly secret: string;
  readonly versions: LinkVersions;
  /** This host has called the other one. */
  readonly calls: boolean;
  /** The other side, as the network knows it: what it says of itself is not proved. */
  readonly from: string;
}

/** The messages that came right behind the greetings, before anybody took them. */
interface EarlyMessages {
  take(): readonly RawData[];
}

/** What a link has once both sides are known. */
interface Opened {
  readonly peer: string;
  readonly speaks: LinkSeal;
  readonly hears: LinkSeal;
  readonly early: EarlyMessages;
}

/** The connection of two hosts that have proved to each other that they belong together. */
export class PeerLink {
  readonly peer: string;
  /** This host has called the other one. */
  readonly calls: boolean;
  readonly #socket: WebSocket;
  readonly #opened: Opened;
  readonly #life = new AbortController();
  #outbox: string[] = [];
  #sending: Promise<void> | undefined;

  /** @internal use `openLink` */
  constructor({ socket, clock, calls }: PeerLinkParts, opened: Opened) {
    this.#socket = socket;
    this.calls = calls;
    this.peer = opened.peer;
    this.#opened = opened;
    this.#watch(clock);
  }

  /** Aborts when nothing comes or goes any more. */
  get closed(): AbortSignal {
    return this.#life.signal;
  }

  /** Resolves when it is on its way, with all that is sent in this turn of the loop; what cannot be sent is lost with the link. */
  send(message: LinkMessage): Promise<void> {
    this.#outbox.push(JSON.stringify(message));
    this.#sending ??= new Promise((resolve) => setImmediate(() => resolve(this.#flush())));
    return this.#sending;
  }

  onMessage(handle: (message: LinkMessage) => void): void {
    const hear = (data: RawData): void => {
      for (const each of this.#messagesOf(data)) {
        const message = linkMessage().safeParse(each);
        if (message.success) handle(message.data);
      }
    };
    for (const data of this.#opened.early.take()) hear(data);
    this.#socket.on("message", hear);
  }

  close(): void {
    this.#socket.terminate();
    this.#life.abort();
  }

  async #flush(): Promise<void> {
    const messages = this.#outbox;
    this.#outbox = [];
    this.#sending = undefined;
    const sent: Promise<void>[] = [];
    for (let frame: string[] = [], size = 0, at = 0; at < messages.length; at += 1) {
      const text = messages[at] ?? "";
      frame.push(text);
      size += text.length;
      if (size < FRAME && at + 1 < messages.length) continue;
      sent.push(this.#sendFrame(`[${frame.join(",")}]`));
      frame = [];
      size = 0;
    }
    await Promise.all(sent);
  }

  #sendFrame(text: string): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.send(this.#opened.speaks.seal(text), () => resolve());
    return promise;
  }

  /** What does not open comes from somebody in between: nothing that follows can be trusted either. */
  #messagesOf(data: RawData): readonly unknown[] {
    try {
      const messages = Buffer.isBuffer(data) ? jsonOf(this.#opened.hears.open(data)) : undefined;
      return Array.isArray(messages) ? messages : [];
    } catch {
      this.close();
      return [];
    }
  }

  #watch(clock: Clock): void {
    let heard = clock.monotonic();
    const hear = (): void => void (heard = clock.monotonic());
    this.#socket.on("message", hear);
    this.#socket.on("pong", hear);
    this.#socket.on("error", () => undefined);
    this.#socket.once("close", () => this.#life.abort());
    if (this.#socket.readyState !== this.#socket.OPEN) this.#life.abort();
    const look = (): void => {
      if (this.closed.aborted) return;
      if (clock.monotonic() - heard > SILENCE_MS) return this.close();
      this.#socket.ping();
      clock.after(PING_MS, look);
    };
    look();
  }
}

/** Greets the other side, and proves and has proved that both know the secret. @throws HostError `unauthorized` */
export async function openLink(parts: PeerLinkParts): Promise<PeerLink> {
  const { socket, clock, calls, secret } = parts;
  const inbox = greetings(socket, calls ? 2 : 1);
  const cancel = clock.after(GREETING_MS, () => socket.terminate(), true);
  try {
    const own = newGreeting(parts.hostId, parts.versions);
    const send = (greeting: Greeting): void => socket.send(JSON.stringify(greeting));
    if (!calls) send(own);
    let other = await inbox.next();
    const sides: Sides = calls ? { caller: own, called: other } : { caller: other, called: own };
    const [mine, theirs] = calls ? (["caller", "called"] as const) : (["called", "caller"] as const);
    // Who calls proves it first: a stranger gets nothing that is made with the secret.
    if (calls) {
      send({ ...own, proof: linkProof(secret, mine, sides) });
      other = await inbox.next();
    }
    if (!isProof(other.proof, linkProof(secret, theirs, sides)))
      throw new HostError(
        "unauthorized",
        `${parts.from} does not know the secret of this cluster: set the same cluster.secret on each machine.`,
      );
    if (commonVersion(sides) === undefined)
      throw new HostError(
        "unauthorized",
        `${other.host} speaks versions ${other.oldest} to ${other.newest}; update it.`,
      );
    const speaks = new LinkSeal(secret, mine, sides);
    const hears = new LinkSeal(secret, theirs, sides);
    const link = new PeerLink(parts, { peer: other.host, speaks, hears, early: inbox });
    if (!calls) send({ ...own, proof: linkProof(secret, mine, sides) });
    return link;
  } catch (thrown) {
    socket.terminate();
    throw thrown;
  } finally {
    cancel();
  }
}

/** The greetings of the other side, in their order. */
function greetings(socket: WebSocket, count: number) {
  const waiting: PromiseWithResolvers<Greeting>[] = Array.from({ length: count }, () =>
    Promise.withResolvers(),
  );
  const early: RawData[] = [];
  for (const { promise } of waiting) promise.catch(() => undefined);
  let heard = 0;
  let asked = 0;
  const fail = (): void => {
    const gone = new HostError("fetch_failed", "The other host hung up while it was greeted.");
    for (const { reject } of waiting) reject(gone);
  };
  const hear = (data: RawData): void => {
    if (heard >= count) return void early.push(data);
    // The socket joins the fragments of a message into one buffer.
    const greeting = hello().safeParse(Buffer.isBuffer(data) ? jsonOf(data.toString()) : undefined);
    if (greeting.success) waiting[heard]?.resolve(greeting.data);
    else fail();
    heard += 1;
  };
  socket.on("message", hear);
  socket.on("error", fail);
  socket.on("close", fail);
  return {
    next: async (): Promise<Greeting> => {
      asked += 1;
      return (await waiting[asked - 1]?.promise) ?? Promise.reject(new Error("There are two greetings."));
    },
    take: (): readonly RawData[] => {
      socket.off("message", hear);
      return early;
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
