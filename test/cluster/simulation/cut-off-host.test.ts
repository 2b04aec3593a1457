import { expect, test } from "vitest";
import type { StoreBackend, StoreEvent } from "../../../src/providers/store/operations.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import type { MemoryBackend } from "../../../src/providers/store/memory/memory-backend.ts";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith, untilTrue } from "../../kit/test-host.ts";
import { buryHost } from "./store-repeats.ts";

test("after a host was cut off and goes on with its own session, the model gets all that the log says", async () => {
  let own: MemoryBackend | undefined;
  let tell: (event: StoreEvent) => void = () => undefined;
  let isCut = false;
  const under = gate();
  const store = memoryHome().open({
    between: (home, handle) => {
      own = home;
      tell = handle;
      const call: StoreBackend["call"] = async (name, request) => {
        if (!isCut || name !== "append") return await home.call(name, request);
        under.arrive();
        await under.opened;
        // A host whose word has run out is told that it holds nothing any more.
        return { status: "fenced" } as never;
      };
      return { backend: { call, close: () => home.close() }, handle };
    },
  });
  const hold = gate();
  const model = scriptedModel([say("The first answer."), wait(hold)], [say("ok")], [say("ok")]);
  await using host = await hostWith(model, { store });
  const session = await host.open();
  const first = session.submit({ text: "one" });
  await hold.reached;
  await untilTrue(() => session.cursor > 2);
  isCut = true;
  for (const text of ["lost a", "lost b", "lost c", "lost d"]) session.submit({ text });
  await under.reached;
  tell({ type: "lost" });
  under.open();
  isCut = false;
  if (own !== undefined) buryHost(own, "a host that ended");
  tell({ type: "buried" });
  await first.result;
  await session.submit({ text: "two" }).result;
  const words = JSON.stringify(model.requests.at(-1)?.messages);
  for (const said of ["one", "The first answer.", "two"]) expect(words).toContain(said);
});
