import { once } from "node:events";
import { createServer, type AddressInfo, connect, type Socket } from "node:net";
import { Transform } from "node:stream";

/** What a line does with what passes it. */
export interface LineState {
  /** Nothing passes: neither side learns that the other is gone. */
  readonly cut?: boolean;
  /** Only what goes this way is kept back. */
  readonly oneWay?: "to server" | "to client";
  /** Each piece is this late, in milliseconds. */
  readonly delayMs?: number;
}

/** A line between a client and a server on this machine, which can be cut, be slow, or work one way. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** From now on. What is kept back goes on when the line works again, unless it is broken. */
  set(state: LineState): void;
  /** New connections go to another port; those that are there break. */
  point(target: number): void;
  /** Breaks the connections that are there, as a machine in between that forgets them does. */
  break(): void;
}

/** Starts a line to a port of this machine. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  let target = port;
  let state: LineState = {};
  const lines = new Set<Line>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const line = new Line(client, target, () => state);
    lines.add(line);
    line.over.then(
      () => lines.delete(line),
      () => lines.delete(line),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const end = (): void => {
    for (const line of lines) line.break();
  };
  return {
    // A server that listens on a port has an address with one.
    port: (server.address() as AddressInfo).port,
    set(next) {
      state = next;
      for (const line of lines) line.look();
    },
    point(next) {
      target = next;
      end();
    },
    break: end,
    async [Symbol.asyncDispose]() {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One connection through the line. */
class Line {
  readonly over: Promise<unknown>;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #valves: readonly Valve[];

  constructor(client: Socket, target: number, state: () => LineState) {
    this.#client = client;
    this.#server = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true });
    const up = new Valve(state, "to server");
    const down = new Valve(state, "to client");
    this.#valves = [up, down];
    client.pipe(up).pipe(this.#server);
    this.#server.pipe(down).pipe(client);
    this.over = Promise.race([once(client, "close"), once(this.#server, "close")]);
    for (const socket of [client, this.#server]) socket.on("error", () => this.break());
    this.#server.on("close", () => this.break());
    client.on("close", () => this.break());
  }

  look(): void {
    for (const valve of this.#valves) valve.look();
  }

  break(): void {
    this.#client.destroy();
    this.#server.destroy();
  }
}

/** One direction of a connection. */
class Valve extends Transform {
  readonly #state: () => LineState;
  readonly #way: "to server" | "to client";
  #go: (() => void) | undefined;

  constructor(state: () => LineState, way: "to server" | "to client") {
    super();
    this.#state = state;
    this.#way = way;
  }

  look(): void {
    if (this.#isShut) return;
    this.#go?.();
    this.#go = undefined;
  }

  override _transform(
    chunk: unknown,
    _encoding: BufferEncoding,
    done: (error: null, data: unknown) => void,
  ): void {
    const go = (): void => {
      const { delayMs = 0 } = this.#state();
      if (delayMs > 0) setTimeout(() => done(null, chunk), delayMs);
      else done(null, chunk);
    };
    if (this.#isShut) this.#go = go;
    else go();
  }

  get #isShut(): boolean {
    const { cut = false, oneWay } = this.#state();
    return cut || oneWay === this.#way;
  }
}
