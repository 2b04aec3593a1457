import { openHost } from "agent-host";
import { readIdentity, sqliteStore } from "agent-host/store";
import { scriptedModel } from "agent-host/testing";
import { benchHost } from "./bench-host.ts";
import { report } from "./figures.ts";

/** What an open idle session costs, and how long it takes to open a long one. */
const collect = globalThis.gc ?? (() => undefined);
function memory(): { readonly rss: number; readonly heap: number } {
  collect();
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 1e6, heap: heapUsed / 1e6 };
}

await using bench = await benchHost(scriptedModel());
const first = await bench.open();
for (let index = 0; index < 1000; index += 1) await first.submit({ text: "hi" }).result;
const before = memory();
const open = [];
for (let index = 0; index < 1000; index += 1) {
  const session = await bench.open();
  await session.submit({ text: "hi" }).result;
  open.push(session);
}
const after = memory();
report("1,000 open idle sessions over one, RSS", after.rss - before.rss, { unit: "MB" });
report("... of it live objects", after.heap - before.heap, { unit: "MB" });

const long = await bench.open();
for (let index = 0; index < 10_000; index += 1) await long.submit({ text: `prompt ${index}` }).result;
const { id } = long;
const { host } = bench;
await host.close();
await using store = await sqliteStore({ home: bench.home, identity: readIdentity(process.pid) });
await using again = await openHost({ store, models: scriptedModel() });
const started = performance.now();
const session = await again.session(id);
report("opening a session of 10,000 turns", performance.now() - started, { unit: "ms" });
if (session.state.counts.turns !== 10_000) throw new Error("turns are missing");
const read = performance.now();
for await (const event of session.events({ after: session.cursor - 100, follow: false })) void event;
report("reading its end", performance.now() - read, { unit: "ms" });
console.log(`(${open.length} sessions were held)`);
