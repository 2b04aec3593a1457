import { defineTool } from "agent-host";
import { z } from "zod";
import { benchHost } from "./bench-host.ts";
import { median, report } from "./figures.ts";
import { closeFloor, floorTurn } from "./floor.ts";
import { startModelProcess } from "./model-process.ts";

/** What a tool round adds to a turn, beside the tool itself and the second model call. */
const nothing = defineTool({
  name: "nothing",
  description: "Does nothing.",
  toolset: "bench",
  kind: "other",
  effect: "pure",
  input: z.object({}),
  label: () => "nothing",
  async *run() {
    return { outcome: "ok", content: [{ type: "text", text: "nothing" }] };
  },
});

await using model = await startModelProcess(["--tokens", "3", "--tool", "nothing"]);
await using bench = await benchHost(model.baseUrl, [nothing]);
await using plain = await startModelProcess(["--tokens", "3"]);
await using without = await benchHost(plain.baseUrl);
const [session, other] = [await bench.open(), await without.open()];
const rounds: number[] = [];
for (let index = 0; index < 60; index += 1) {
  const turn = async (run: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await run();
    return performance.now() - started;
  };
  const tool = await turn(() => session.submit({ text: "hi" }).result);
  const talk = await turn(() => other.submit({ text: "hi" }).result);
  const call = await turn(() => floorTurn(plain.baseUrl));
  if (index >= 10) rounds.push(tool - talk - call);
}
report("tool round trip, beside tool and model", median(rounds), { unit: "ms" });
closeFloor();
