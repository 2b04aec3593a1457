import type { Host } from "../../src/core/index.ts";
import { type AcpPorts, serveAcp } from "../../src/acp/index.ts";
import { type CommandStage, OPEN, type RunningCommand } from "../kit/command.ts";

/** The two ends of an agent, as the test that started it holds them. */
export interface Wire {
  send(text: string): void;
  /** Takes what the agent writes from now on. */
  listen(take: (text: string) => void): void;
  /** Closes the agent's input. */
  end(): void;
  readonly over: Promise<WireEnd>;
}

interface WireEnd {
  /** Its end in words, for a message. */
  readonly words: string;
  readonly stderr: string;
}

/** The real command. */
export function commandWire(
  stage: CommandStage,
  command = stage.begin(["acp"], { stdin: OPEN }),
): Wire & { readonly command: RunningCommand } {
  const { stdin, stdout } = command.child;
  return {
    command,
    send: (text) => void stdin.write(text),
    listen: (take) => void stdout.on("data", take),
    end: () => void stdin.end(),
    over: command.end.then(({ code, stderr }) => ({ words: `exit code ${code}. ${stderr}`, stderr })),
  };
}

const NO_PORTS: AcpPorts = {
  version: "0",
  readText: () => Promise.resolve(undefined),
  stopProcesses: () => Promise.resolve(0),
};

/** The surface on a host of this process. */
export function hostWire(host: Host, ports: Partial<AcpPorts> = {}): Wire {
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1000 });
  const writer = input.writable.getWriter();
  const takers: ((text: string) => void)[] = [];
  const over = serveAcp(Promise.resolve(host), {
    transport: {
      input: input.readable,
      async write(text) {
        // A pipe never answers in the same breath.
        await new Promise((resolve) => setImmediate(resolve));
        for (const take of takers) take(text);
      },
    },
    process: { ...NO_PORTS, ...ports },
    signal: new AbortController().signal,
  });
  return {
    send: (text) => void writer.write(new TextEncoder().encode(text)).catch(() => undefined),
    listen: (take) => void takers.push(take),
    end: () => void writer.close().catch(() => undefined),
    over: over.then(() => ({ words: "the connection ended", stderr: "" })),
  };
}
