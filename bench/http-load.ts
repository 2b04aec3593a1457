import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const BENCH_KEY = "bench-key-0123456789";

/** A server of the bench, in a process of its own. */
export interface BenchServer extends AsyncDisposable {
  readonly url: string;
}

/** @param name - of the program beside this one */
export async function startServer(name: string, model: string): Promise<BenchServer> {
  const program = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, "--model", model], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("The server has no output.");
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.stdin?.end();
      await once(child, "exit");
    },
  };
}

const agent = new Agent({ keepAlive: true });
export const closeLoad = (): void => agent.destroy();

/** Sends a request and gives its answer as soon as it begins. */
export function send(url: string, body: object | undefined, own = false): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${BENCH_KEY}`,
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  };
  const method = body === undefined ? "GET" : "POST";
  const call = request(url, { method, headers, agent: own ? false : agent }, resolve);
  call.on("error", reject);
  call.end(text);
  return promise;
}

/** Reads an answer to its end. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += String(piece);
  return text;
}

/** Milliseconds from a streamed chat's request to its first text. */
export async function firstText(url: string): Promise<number> {
  const started = performance.now();
  const answer = await send(`${url}/v1/chat/completions`, {
    model: "agent",
    stream: true,
    messages: [{ role: "user", content: "hi" }],
  });
  let first = 0;
  for await (const piece of answer.setEncoding("utf8"))
    if (first === 0 && String(piece).includes('"content":"')) first = performance.now() - started;
  return first;
}

/** What a server has used of the machine. */
export async function usageOf(url: string): Promise<{ readonly cpu: number; readonly rss: number }> {
  const { resources } = JSON.parse(await textOf(await send(`${url}/health/detailed`, undefined))) as {
    resources: { cpu: { user_seconds: number; system_seconds: number }; memory: { rss_bytes: number } };
  };
  return { cpu: resources.cpu.user_seconds + resources.cpu.system_seconds, rss: resources.memory.rss_bytes };
}
