import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { problemsOf, type ProtocolVersion, type WireMessage } from "./outgoing.ts";
import type { Wire } from "./wire.ts";

/** A client's end of a wire, for the SDK's own client; every message that comes is held against the protocol's schema. */
export class ClientEnd {
  readonly wire: Wire;
  /** Everything that came, in order. */
  readonly messages: WireMessage[] = [];
  /** The problems with the messages that came. */
  readonly problems: string[] = [];
  readonly #version: ProtocolVersion;
  readonly #asked = new Map<unknown, string>();
  readonly #waiting = new Set<() => void>();

  constructor(wire: Wire, version: ProtocolVersion) {
    this.wire = wire;
    this.#version = version;
  }

  /** Looks again at what is waited for. */
  look(): void {
    for (const look of this.#waiting) look();
  }

  /** Waits until something holds that a message brings about. */
  async until(holds: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (holds()) resolve();
    };
    this.#waiting.add(look);
    look();
    await Promise.race([
      promise,
      this.wire.over.then((why) => Promise.reject(new Error(`The agent is gone: ${why.words}`))),
    ]);
    this.#waiting.delete(look);
  }

  /** Ends the agent's input and waits for its end. @throws Error when anything was wrong with what came */
  async close(): Promise<void> {
    this.wire.end();
    const { stderr } = await this.wire.over;
    if (stderr !== "") this.problems.push(`on stderr: ${stderr}`);
    if (this.problems.length > 0) throw new Error(this.problems.join("\n"));
  }

  stream() {
    let rest = "";
    let isOpen = true;
    return {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.wire.listen((text) => {
            const lines = (rest + text).split("\n");
            rest = lines.pop() ?? "";
            for (const message of lines.map((line) => this.#received(line)))
              if (isOpen) controller.enqueue(message);
          });
          void this.wire.over.then(() => isOpen && controller.close());
        },
        cancel: () => {
          isOpen = false;
        },
      }),
      writable: new WritableStream<AnyMessage>({
        write: (message) => {
          if ("method" in message && "id" in message) this.#asked.set(message.id, message.method);
          this.wire.send(`${JSON.stringify(message)}\n`);
        },
      }),
    };
  }

  #received(line: string): AnyMessage {
    const message = JSON.parse(line) as WireMessage;
    this.messages.push(message);
    const asked = message.method === undefined ? this.#asked.get(message.id) : undefined;
    this.problems.push(...problemsOf(message, asked, this.#version));
    queueMicrotask(() => this.look());
    // The SDK looks at it again.
    return message as unknown as AnyMessage;
  }
}
