import { describe, expect, test } from "vitest";
import { hostWith } from "../../kit/test-host.ts";
import { scriptedModel } from "../../kit/scripted-model.ts";

describe("a session is found", () => {
  test("by its id, by the beginning of its id, and by the beginning of its last part", async () => {
    await using host = await hostWith(scriptedModel());
    const { id } = await host.open({ id: "20261120_101500_a1b2c3" });
    await host.open({ id: "20261121_101500_ffee00" });
    for (const words of [id, "20261120", "20261120_10", "a1b", "a1b2c3"])
      expect((await host.find(words)).id, words).toBe(id);
    await expect(host.find("10150")).rejects.toMatchObject({ code: "session_not_found" });
    await expect(host.find("a1")).rejects.toMatchObject({ code: "session_not_found" });
  });

  test("never by a beginning that several have: they are named instead", async () => {
    await using host = await hostWith(scriptedModel());
    await host.open({ id: "20261120_101500_a1b2c3", title: "First" });
    await host.open({ id: "20261120_101500_a1ffff" });
    await expect(host.find("20261120")).rejects.toMatchObject({
      code: "conflict",
      message:
        '"20261120" may be each of 2 sessions: 20261120_101500_a1ffff (now), 20261120_101500_a1b2c3 ("First", now). Type more of the id.',
    });
  });

  test("by a title before a beginning", async () => {
    await using host = await hostWith(scriptedModel());
    await host.open({ id: "20261120_101500_a1b2c3" });
    const { id } = await host.open({ title: "2026" });
    expect((await host.find("2026")).id).toBe(id);
  });
});
