import { once } from "node:events";
import { knowledgeOf } from "../knowledge-stage.ts";

/** Remembers and forgets, as one of several processes that do so at once. Begins when its parent says so. */
const [home = "", name = "", count = "0"] = process.argv.slice(2);
const { memory } = knowledgeOf(home, { settings: { memoryBudgets: { memory: 1e6, user: 1e6 } } });
const where = { target: "memory", scope: undefined, signal: new AbortController().signal } as const;

process.send?.("ready");
await once(process, "message");
for (let index = 0; index < Number(count); index += 1) {
  await memory.change({ action: "add", content: `${name}-${index}.` }, where);
  await memory.change({ action: "add", content: `${name}-${index} for a while` }, where);
  await memory.change({ action: "remove", oldText: `${name}-${index} for a while` }, where);
}
process.disconnect?.();
