import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { readIdentity, sqliteStore } from "../../../src/providers/store/index.ts";
import { say, scriptedModelWith } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";

/** Bytes of this isolate's heap that are in use. */
function inUse(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

describe("a large prompt", () => {
  test("gives the session its first words, and is read again when the next turn needs it", async () => {
    const models = scriptedModelWith({ contextLength: 10_000_000 }, [say("Hello.")], [say("Again.")]);
    await using host = await hostWith(models);
    const session = await host.open({});
    await session.submit({ text: `\n\n  Sum   this\nup: ${"word ".repeat(400_000)}` }).result;
    expect(session.state.preview).toMatch(/^Sum this up: word word/);
    expect(session.state.preview).toHaveLength(160);
    await session.submit({ text: "and now" }).result;
    expect(models.seen.at(-1)?.at(0)).toContain("Sum   this");
  });

  test("is not kept in memory by sessions that have nothing to do", async () => {
    const home = mkdtempSync(join(tmpdir(), "agent-large-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    await using store = await sqliteStore({ home, identity: readIdentity(process.pid) });
    const models = scriptedModelWith({ contextLength: 10_000_000 });
    await using host = await hostWith(models, { store, keepLeaseMs: 0 });
    const once = async (): Promise<void> => {
      const session = await host.open({});
      await session.submit({ text: "word ".repeat(600_000) }).result;
      models.requests.length = 0;
      models.seen.length = 0;
    };
    await once();
    const before = inUse();
    for (let times = 0; times < 4; times += 1) await once();
    // Each of them has 3 MB of text.
    expect((inUse() - before) / 1e6).toBeLessThan(5);
  });
});
