import { expect, test } from "vitest";
import { MemoryRecords } from "../../../src/providers/knowledge/index.ts";
import { copyMarkDraft } from "../../../src/providers/store/copy/copy-mark.ts";
import { readIdentity } from "../../../src/providers/store/index.ts";
import { postgresStore } from "../../../src/providers/store/postgres/postgres-store.ts";
import { CommandStage } from "../../kit/command.ts";
import { testDatabase, testPostgres } from "../../kit/postgres/index.ts";
import { knowledgeOf } from "../../providers/knowledge/knowledge-stage.ts";

const hasServer = (await testPostgres()) !== undefined;

test.skipIf(!hasServer)(
  "two hosts that remember at once lose nothing, and homes of one database are one",
  async () => {
    await using database = await testDatabase();
    const identity = readIdentity(process.pid);
    {
      await using one = await postgresStore({ url: database.url, identity });
      await using two = await postgresStore({ url: database.url, identity });
      const hosts = [one, two].map(
        ({ records }) =>
          knowledgeOf("/nowhere", {
            memory: new MemoryRecords(records),
            settings: { memoryBudgets: { memory: 1e5, user: 1e5 } },
          }).memory,
      );
      const where = { target: "memory", scope: undefined, signal: AbortSignal.timeout(60_000) } as const;
      const lines = Array.from({ length: 40 }, (_, index) => `Line ${index} of host ${index % 2}.`);
      await Promise.all(
        lines.map(async (content, index) => hosts[index % 2]?.change({ action: "add", content }, where)),
      );
      expect(new Set((await hosts[0]?.file("memory", undefined))?.entries)).toEqual(new Set(lines));
    }
    await using here = new CommandStage();
    await using there = new CommandStage();
    for (const stage of [here, there]) stage.configure(`store: { url: '${database.url}' }\n`);
    expect((await here.ask(["memory", "forget", "Line 7 of"])).stdout).toBe("Forgotten; 39 left.\n");
    const turned = "const now = Date.now; Date.now = () => now() + 3_600_000";
    here.env["NODE_OPTIONS"] = `--import=data:text/javascript,${encodeURIComponent(turned)}`;
    expect((await here.ask(["run", "Hello from here"])).code).toBe(0);
    expect((await there.ask(["sessions", "list"])).stdout).toContain("Hello from here");
    const listed = await there.ask(["memory", "list"]);
    expect(listed.stdout).toContain("- Line 8 of host 0.");
    expect(listed.stdout).not.toContain("Line 7 of");

    await using store = await postgresStore({ url: database.url, identity });
    // The clock of the first machine was an hour fast: what is due, or too old, is judged by one clock for all of them.
    const [{ id } = { id: "" }] = await store.list({ offset: 0, limit: 1, includeHidden: true });
    const [row] = (await store.read(id, { after: 0, limit: 1 }))?.rows ?? [];
    expect(Math.abs((row?.at ?? 0) - store.now())).toBeLessThan(1_800_000);
    await store.records.put(copyMarkDraft({ source: "x", place: "/old/home", whole: false }));
    expect(await there.ask(["sessions", "list"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/holds a part of the home \/old\/home: `agent store copy` has begun/),
    });
  },
);
