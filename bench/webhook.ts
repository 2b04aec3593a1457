import { createHmac } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { report } from "./figures.ts";
import { startModelProcess } from "./model-process.ts";

/** How fast accepted webhooks are answered at 200 a second, each durable before its answer, while their turns run. */
const SECRET = "a-secret-of-the-bench-0123456789";
const PER_SECOND = 200;
const SECONDS = 10;

await using model = await startModelProcess(["--tokens", "30"]);
const home = mkdtempSync(join(tmpdir(), "agent-bench-"));
writeFileSync(
  join(home, "config.yaml"),
  `model: {provider: local, base_url: "${model.baseUrl}", default: test-model}
platforms: {webhook: {enabled: true, extra: {host: 127.0.0.1, port: 0, rate_limit: 0, routes: {a: {prompt: "{n}"}}}}}
`,
);
const bin = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const env = { ...process.env, AGENT_HOME: home, WEBHOOK_SECRET: SECRET };
const gateway = spawn(process.execPath, [bin, "gateway"], { env, stdio: ["ignore", "ignore", "pipe"] });
const url = await new Promise<string>((resolve) => {
  let said = "";
  gateway.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-10_000);
    const found = /webhook connector on (http:\S+)/.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  });
});

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Milliseconds to the whole answer of one signed call. */
async function call(n: number): Promise<number> {
  const body = JSON.stringify({ n });
  const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
  const started = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = {
    "content-type": "application/json",
    "x-hub-signature-256": signature,
    "x-request-id": `n${n}`,
  };
  request(`${url}/a`, { method: "POST", agent, headers }, (answer) => {
    if (answer.statusCode !== 202) reject(new Error(`answered ${answer.statusCode}`));
    answer.resume().on("end", resolve);
  })
    .on("error", reject)
    .end(body);
  await promise;
  return performance.now() - started;
}

for (let n = 0; n < 20; n += 1) await call(n);
const calls: Promise<number>[] = [];
const began = performance.now();
for (let n = 0; n < PER_SECOND * SECONDS; n += 1) {
  const due = began + (1000 * n) / PER_SECOND;
  const early = due - performance.now();
  if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
  calls.push(call(1000 + n));
}
const times = (await Promise.all(calls)).toSorted((a, b) => a - b);
const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
report("webhook accepted, 200 a second, median", at(0.5), { unit: "ms" });
report("webhook accepted, 200 a second, p99", at(0.99), { unit: "ms" });
report("webhook accepted, slowest", at(1), { unit: "ms" });
gateway.kill("SIGKILL");
await once(gateway, "close");
agent.destroy();
rmSync(home, { recursive: true, force: true });
