import { scriptedModel, type Step } from "agent-host/testing";
import { benchHost } from "./bench-host.ts";
import { median, report } from "./figures.ts";
import { closeFloor, floorTurn } from "./floor.ts";
import { startModelProcess } from "./model-process.ts";
import { timedGate } from "./timed-gate.ts";

/** Tokens per second through one turn to one reader, and how long a delta takes from the model to a reader. */
const TOKENS = 20_000;

for (const writes of [1, TOKENS]) {
  await using model = await startModelProcess(["--tokens", String(TOKENS), "--writes", String(writes)]);
  await using bench = await benchHost(model.baseUrl);
  const session = await bench.open();
  const rates: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const floor = await floorTurn(model.baseUrl);
    floors.push(TOKENS / (floor.total / 1000));
    const started = performance.now();
    let text = 0;
    for await (const event of session.submit({ text: "hi" }))
      if (event.type === "message.delta") text += event.text.length;
    const seconds = (performance.now() - started) / 1000;
    if (text !== TOKENS * 3) throw new Error(`lost text: ${text} characters`);
    rates.push(TOKENS / seconds);
  }
  const name = writes === 1 ? "one write" : "one write each";
  report(`tokens per second, ${name}`, median(rates), { unit: "/s", floor: median(floors) });
}
closeFloor();

// In this process, so that one clock sees both ends.
const sent: number[] = [];
const pieces: Step[] = [];
for (let index = 0; index < 300; index += 1) {
  pieces.push({ type: "wait", gate: timedGate(sent) }, { type: "text", text: `${index} ` });
}
await using bench = await benchHost(scriptedModel(pieces));
const session = await bench.open();
const latencies: number[] = [];
for await (const event of session.submit({ text: "hi" })) {
  if (event.type !== "message.delta") continue;
  const at = sent[latencies.length];
  if (at !== undefined) latencies.push(performance.now() - at);
}
report("model text to reader", median(latencies), { unit: "ms" });
