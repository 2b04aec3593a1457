import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type ClientApp, methods } from "@agentclientprotocol/sdk/unstable";

const { terminal: on } = methods.client;

interface TestTerminal {
  readonly child: ChildProcess;
  readonly exit: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  output: string;
}

/** An editor's terminals, with real processes. */
export function testTerminals() {
  const terminals = new Map<string, TestTerminal>();
  const log: string[] = [];
  const at = (id: string): TestTerminal => {
    const terminal = terminals.get(id);
    if (terminal === undefined) throw new Error(`There is no terminal ${id}.`);
    return terminal;
  };
  const extend = (app: ClientApp): ClientApp =>
    app
      .onRequest(on.create, ({ params }) => {
        const terminalId = `t${terminals.size + 1}`;
        const env = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]));
        const child = spawn(params.command, params.args ?? [], {
          cwd: params.cwd ?? undefined,
          env: { ...process.env, ...env },
        });
        const exit = once(child, "close").then(([exitCode, signal]) => ({
          exitCode: exitCode as number | null,
          signal: signal as string | null,
        }));
        const terminal: TestTerminal = { child, exit, output: "" };
        child.stdout.on("data", (data: Buffer) => void (terminal.output += data.toString()));
        terminals.set(terminalId, terminal);
        log.push(`create ${terminalId}`);
        return { terminalId };
      })
      .onRequest(on.output, ({ params }) => {
        log.push(`output ${params.terminalId}`);
        return { output: at(params.terminalId).output, truncated: false };
      })
      .onRequest(on.waitForExit, async ({ params }) => await at(params.terminalId).exit)
      .onRequest(on.kill, ({ params }) => {
        log.push(`kill ${params.terminalId}`);
        at(params.terminalId).child.kill("SIGKILL");
        return {};
      })
      .onRequest(on.release, ({ params }) => {
        log.push(`release ${params.terminalId}`);
        at(params.terminalId).child.kill("SIGKILL");
        return {};
      });
  return { extend, log };
}
