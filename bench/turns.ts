import { median, report } from "./figures.ts";
import { closeFloor, floorTurn } from "./floor.ts";
import { benchHost, timedTurn } from "./bench-host.ts";
import { startModelProcess } from "./model-process.ts";

/** Turn overhead, time to the first delta, and what 500 turns of history add. */
await using model = await startModelProcess(["--tokens", "3"]);
await using bench = await benchHost(model.baseUrl);
const session = await bench.open();
const floors: { first: number; total: number }[] = [];
const turns: { first: number; total: number }[] = [];
for (let index = 0; index < 500; index += 1) {
  floors.push(await floorTurn(model.baseUrl));
  turns.push(await timedTurn(session));
}
const total = (list: readonly { total: number }[]): number => median(list.map((figures) => figures.total));
const first = (list: readonly { first: number }[]): number => median(list.map((figures) => figures.first));

const floor = total(floors.slice(5));
const early = total(turns.slice(5, 15));
const late = total(turns.slice(485));
report("turn, around turn 10", early, { unit: "ms", floor });
report("turn, overhead over the bare stream", early - floor, { unit: "ms" });
report("turn, around turn 490", late, { unit: "ms", floor });
report("turn, overhead at 490 against at 10", (late - floor) / (early - floor), { unit: "times" });
report("prompt to first delta", first(turns.slice(5, 100)), {
  unit: "ms",
  floor: first(floors.slice(5, 100)),
});
closeFloor();
