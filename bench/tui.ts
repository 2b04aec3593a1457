import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ClientProcess } from "./client-process.ts";
import { median, report } from "./figures.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/** The terminal client as a person meets it: until it can be seen, how soon a key shows, and what it costs to wait. */
const TOKENS = 20_000;

const home = mkdtempSync(join(tmpdir(), "agent-bench-"));
await using model = await startModelProcess([
  "--tokens",
  String(TOKENS),
  "--writes",
  String(TOKENS),
  "--pace",
  "1",
]);
const block = `model:\n  provider: local\n  base_url: ${model.baseUrl}\n  default: test-model\n  context_length: 100000000\n`;
writeFileSync(join(home, "config.yaml"), block);

interface FirstFrame {
  readonly wall: number;
  readonly cpu: number;
}

/** From the start to the first frame, and what was worked for it. */
async function firstFrame(program?: readonly string[]): Promise<FirstFrame> {
  const started = performance.now();
  const client = new ClientProcess(home, program);
  await client.shows("›");
  const wall = performance.now() - started;
  const { cpu } = client.cost();
  await client.shows("test-model");
  await client.leave();
  return { wall, cpu };
}

const floorProgram = [plainProgram("terminal")];
const [frames, bareFrames]: [FirstFrame[], FirstFrame[]] = [[], []];
for (let index = 0; index < 15; index += 1) {
  bareFrames.push(await firstFrame(floorProgram));
  frames.push(await firstFrame());
}
const middle = (list: readonly FirstFrame[], of: keyof FirstFrame): number =>
  median(list.map((frame) => frame[of]));
report("terminal client, first frame", middle(frames, "wall"), {
  unit: "ms",
  floor: middle(bareFrames, "wall"),
});
report("terminal client, first frame: processor time", middle(frames, "cpu"), {
  unit: "ms",
  floor: middle(bareFrames, "cpu"),
});

const client = new ClientProcess(home);
await client.shows("test-model");
await pause(2000);
const before = client.cost();
await pause(5000);
report("waiting for a prompt", (client.cost().cpu - before.cpu) / 50, { unit: "% of a core" });
report("waiting for a prompt", client.cost().rss, { unit: "MB" });

client.type("go\r");
await client.shows("Esc stops");
const [began, spent] = [performance.now(), client.cost().cpu];
const echoes: number[] = [];
for (let index = 0; index < 100; index += 1) {
  const letter = String.fromCharCode(0x4e00 + index);
  const typed = performance.now();
  client.type(letter);
  await client.shows(letter);
  echoes.push(performance.now() - typed);
  await pause(20);
}
report("a key shows, while deltas stream: median", median(echoes), { unit: "ms" });
report("a key shows, while deltas stream: slowest", Math.max(...echoes), { unit: "ms" });
const share = (client.cost().cpu - spent) / (performance.now() - began);
report("host and client, while deltas stream", share * 100, { unit: "% of a core" });
report("host and client, while deltas stream", client.cost().rss, { unit: "MB" });
await client.leave();
rmSync(home, { recursive: true });
