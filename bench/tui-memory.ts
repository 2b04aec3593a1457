import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { report } from "./figures.ts";
import { startModelProcess } from "./model-process.ts";
import { ClientProcess } from "./client-process.ts";

/** What a long day in one session costs: the client with its gateway in one process, turn after turn. */
const { values } = parseArgs({ options: { turns: { type: "string", default: "2000" } } });
const turns = Number(values.turns);

const home = mkdtempSync(join(tmpdir(), "agent-bench-"));
await using model = await startModelProcess(["--tokens", "100"]);
const block = `model:\n  provider: local\n  base_url: ${model.baseUrl}\n  default: test-model\n  context_length: 100000000\n`;
writeFileSync(join(home, "config.yaml"), block);
const client = new ClientProcess(home);
await client.shows("test-model");
report("RSS before the first turn", client.cost().rss, { unit: "MB" });
for (let turn = 1; turn <= turns; turn += 1) {
  client.type(`turn ${turn}\r`);
  await client.shows(`turn ${turn}`);
  await client.shows(" tokens");
  await client.shows("Ask anything");
  if (turn % 200 === 0) report(`RSS after ${turn} turns`, client.cost().rss, { unit: "MB" });
}
await client.leave();
rmSync(home, { recursive: true });
