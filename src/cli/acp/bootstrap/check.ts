import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isJsonObject, parseForeignJson } from "../../../shared/json/json.ts";
import { messageOf } from "../../../shared/errors/host-error.ts";
import type { Launch } from "./launch.ts";

/** The result of one step of the check. */
export interface LaunchCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

/** An editor would have given up by then. */
const PATIENCE_MS = 20_000;

/** Starts the agent as an editor would, opens a session over its pipes and deletes it again. @param cwd - absolute */
export async function checkLaunch(
  { command, args, env }: Launch,
  around: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<readonly LaunchCheck[]> {
  const { cwd } = around;
  const child = spawn(command, [...args], {
    cwd,
    env: { ...around.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const agent = new LineClient(child.stdin, createInterface({ input: child.stdout }));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  child.on("error", (error) => agent.fail(error.message));
  child.on("exit", (code) => agent.fail(`it ended with exit code ${code ?? "none"}. ${stderr.trim()}`));
  const late = setTimeout(() => agent.fail(`it did not answer in ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
  const steps: LaunchCheck[] = [];
  try {
    const hello = await agent.step("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "check", version: "1" },
    });
    steps.push(hello.step);
    if (!hello.step.ok) return steps;
    const made = await agent.step("session/new", { cwd, mcpServers: [] });
    steps.push(made.step);
    const sessionId = isJsonObject(made.result) ? made.result["sessionId"] : undefined;
    if (sessionId !== undefined) steps.push((await agent.step("session/delete", { sessionId })).step);
    const silent = stderr === "";
    steps.push({
      name: "stderr",
      ok: silent,
      text: silent ? "silent" : (stderr.trim().split("\n")[0] ?? ""),
    });
    return steps;
  } finally {
    clearTimeout(late);
    child.stdin.end();
    child.kill();
  }
}

interface StepAnswer {
  readonly step: LaunchCheck;
  readonly result: unknown;
}

/** Asks one thing after the other over lines of JSON. */
class LineClient {
  readonly #input: NodeJS.WritableStream;
  #id = 0;
  #answer: PromiseWithResolvers<Record<string, unknown>> = Promise.withResolvers();

  constructor(input: NodeJS.WritableStream, lines: AsyncIterable<string>) {
    this.#input = input;
    input.on("error", () => undefined);
    this.#answer.promise.catch(() => undefined);
    void this.#read(lines).catch((thrown: unknown) => this.fail(String(thrown)));
  }

  fail(problem: string): void {
    this.#answer.reject(new Error(problem));
  }

  async step(method: string, params: object): Promise<StepAnswer> {
    const started = performance.now();
    this.#id += 1;
    this.#answer = Promise.withResolvers();
    this.#answer.promise.catch(() => undefined);
    this.#input.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params })}\n`);
    try {
      const { result, error } = await this.#answer.promise;
      const took = `${Math.round(performance.now() - started)} ms`;
      if (!isJsonObject(error)) return { result, step: { name: method, ok: true, text: took } };
      return { result, step: { name: method, ok: false, text: String(error["message"]) } };
    } catch (thrown) {
      const text = messageOf(thrown);
      return { result: undefined, step: { name: method, ok: false, text } };
    }
  }

  async #read(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      const message = parsed(line);
      if (message === undefined) this.fail(`it printed what is no message: ${line.slice(0, 200)}`);
      else if (message["id"] === this.#id && !("method" in message)) this.#answer.resolve(message);
    }
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const message = parseForeignJson(line);
    return isJsonObject(message) ? message : undefined;
  } catch {
    // The caller reports a line that is no message.
    return undefined;
  }
}
