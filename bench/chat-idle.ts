import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CHAT_PLATFORMS } from "../src/chat/index.ts";
import { FAKES } from "../test/chat/kit/fakes.ts";
import { report } from "./figures.ts";
import { benchHome, memoryOf } from "./gateway-process.ts";

/** What `agent gateway` costs with all chat platforms connected (or `--only` some), nobody talking, beside one without any. */
const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const SETTLED_MS = 8000;
const WATCHED_MS = 30_000;

/** Processor time of a process so far, in milliseconds. */
function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce(
    (sum, task) => sum + Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    0,
  );
}

interface Cost {
  readonly memory: number;
  /** Percent of one processor. */
  readonly share: number;
}

async function idle(platforms: object, env: Readonly<Record<string, string>>): Promise<Cost> {
  using home = benchHome();
  const webhook = { enabled: true, extra: { port: 0 } };
  writeFileSync(join(home.folder, "config.yaml"), JSON.stringify({ platforms: { ...platforms, webhook } }));
  Object.assign(home.env, env);
  const gateway = home.agent("gateway");
  gateway.stderr.resume();
  gateway.stdout.resume();
  const { pid = 0 } = gateway;
  await pause(SETTLED_MS);
  const before = processorTime(pid);
  await pause(WATCHED_MS);
  const share = ((processorTime(pid) - before) / WATCHED_MS) * 100;
  const memory = memoryOf(pid);
  const over = new Promise((resolve) => gateway.once("exit", resolve));
  gateway.kill("SIGTERM");
  await over;
  return { memory, share };
}

const blocks: Record<string, object> = {};
const env: Record<string, string> = {};
const connected: Promise<void>[] = [];
for (const { name } of CHAT_PLATFORMS) {
  const fake = (values.only?.includes(name) ?? true) ? await FAKES.get(name)?.({ patient: true }) : undefined;
  if (fake === undefined) continue;
  const { baseUrl, from } = fake.account;
  const { extra, ...block } = fake.block ?? { base_url: baseUrl, from };
  blocks[name] = { enabled: true, ...block, extra: { ...extra, allow: ["*"] } };
  Object.assign(env, fake.env);
  if (fake.listened !== undefined) connected.push(fake.listened());
}
const none = await idle({}, {});
const all = await idle(blocks, env);
await Promise.all(connected);
const count = Object.keys(blocks).length;
report(`${count} chat platforms, idle: memory more`, all.memory - none.memory, {
  unit: "MB",
  goal: { value: (60 * count) / 10 },
});
report("... share of a processor more", all.share - none.share, { unit: "%", goal: { value: 0.5 } });
process.exit();
