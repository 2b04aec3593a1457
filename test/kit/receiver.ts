import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request that a receiver got. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** The answer of a receiver; `hang` is none at all. */
export type ReceiverAnswer = number | "hang" | { readonly location: string };

/** Other software that events are sent to, on 127.0.0.1. It answers 200 unless it is told otherwise. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  answer: ReceiverAnswer = 200;
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      const event = JSON.parse(body) as Received["event"];
      this.received.push({ headers: plain(request.headers), body, event });
      for (const look of this.#waiting) look();
      const { answer } = this;
      if (answer === "hang") return;
      const [status, headers] = typeof answer === "number" ? [answer, {}] : [302, answer];
      response.writeHead(status, headers).end(`told ${status}`);
    });
  });
  readonly #waiting = new Set<() => void>();

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await once(receiver.#server.listen(0, "127.0.0.1"), "listening");
    return receiver;
  }

  get url(): string {
    // It listens on a port.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/events?of=the+agent`;
  }

  get types(): readonly string[] {
    return this.received.map(({ event }) => event.type);
  }

  /** Resolves with the first request that matches, which may have come already. */
  async first(matches: (request: Received) => boolean): Promise<Received> {
    const { promise, resolve } = Promise.withResolvers<Received>();
    const look = (): void => {
      const found = this.received.find(matches);
      if (found !== undefined) resolve(found);
    };
    this.#waiting.add(look);
    look();
    return await promise.finally(() => this.#waiting.delete(look));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const plain = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
