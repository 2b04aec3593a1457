import { expect, test } from "vitest";
import { toolSpecs, toolsByName } from "../../../src/core/turn/toolset.ts";
import { handClock } from "../../kit/clock.ts";
import { untilTrue } from "../../kit/test-host.ts";
import { hastyClock } from "../tools/spawn/spawning.ts";
import { inside, mcpStage } from "./mcp-stage.ts";

test("a call goes on to its end while its server is connected anew, and what was offered stays", async () => {
  await using at = await mcpStage([inside("one")]);
  await at.settled();
  const steps: string[] = [];
  const session = at.session({ onPreview: (preview) => steps.push(preview) });
  const running = session.run(at.tool("mcp_one_slow"), {});
  await untilTrue(() => steps.includes("step 3"));
  at.clients.reload([inside("one")]);
  expect(at.clients.servers()).toMatchObject([{ status: "connecting" }]);
  expect((await at.session().run(at.tool("mcp_one_echo"), { text: "new" })).text).toBe("new");
  session.abort();
  expect((await running).result.outcome).toBe("cancelled");
  // The old connection heard of it: it was still there.
  await untilTrue(() => at.notes.includes("one cancelled"));
  expect(at.failures).toEqual([]);
});

test("other settings connect what is new or changed, end what is gone, and leave the rest alone", async () => {
  await using at = await mcpStage([inside("kept"), inside("changed"), inside("gone")]);
  await at.settled();
  const greetings = (name: string): number =>
    at.notes.filter((note) => note.startsWith(`${name} capabilities`)).length;
  at.clients.apply([inside("kept"), inside("changed", {}, { exclude: ["echo"] }), inside("new")]);
  await at.settled();
  expect(at.clients.servers().map(({ name, status }) => [name, status])).toEqual([
    ["kept", "connected"],
    ["changed", "connected"],
    ["new", "connected"],
  ]);
  expect(["kept", "changed", "gone", "new"].map(greetings)).toEqual([1, 2, 1, 1]);
  expect(() => at.tool("mcp_changed_echo")).toThrow("There is no tool");
  expect(() => at.tool("mcp_gone_echo")).toThrow("There is no tool");
});

test("of servers with one name the first counts, and it is said that another is left out", async () => {
  await using at = await mcpStage([inside("one"), inside("two"), inside("one", { start: "die" })]);
  await at.settled();
  expect(at.clients.servers()).toMatchObject([
    { name: "one", status: "connected", notes: [expect.stringContaining("same name is left out")] },
    { name: "two", status: "connected", notes: [] },
  ]);
  expect(at.failures).toEqual([expect.stringMatching(/^one: another server of the same name is left out/)]);
  at.clients.apply([inside("one"), inside("two")]);
  expect(at.clients.servers()).toMatchObject([{ notes: [] }, { notes: [] }]);
});

test("what models are told of tools is the same, byte for byte, before and after a server was started again", async () => {
  await using at = await mcpStage([inside("one"), inside("two")], { clock: hastyClock });
  await at.settled();
  const told = (): string =>
    JSON.stringify(
      toolSpecs(toolsByName(at.clients.toolsets(), { platform: "cli", source: "cli", depth: 0 })),
    );
  const before = told();
  await at.session().run(at.tool("mcp_one_die"), {});
  expect(told()).toBe(before);
  await at.settled();
  expect(told()).toBe(before);
});

test("a program that ends again and again is started six times, with longer and longer pauses", async () => {
  const clock = handClock();
  await using at = await mcpStage([inside("dies", { start: "die" })], { clock });
  const pauses: number[] = [];
  for (let tries = 1; tries < 6; tries += 1) {
    await clock.untilPending();
    await untilTrue(() => clock.pending()[0]?.in !== 60_000);
    pauses.push(clock.pending()[0]?.in ?? 0);
    clock.next();
  }
  await untilTrue(() => clock.pending().length === 0);
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000]);
  expect(at.failures).toEqual(["dies: it ended with exit code 3."]);
  const dead = at.clients.toolsets()[0];
  expect(dead).toMatchObject({ name: "mcp:dies", configured: false, remedy: "it ended with exit code 3." });
});

test("a server that is switched off is shown, and not connected", async () => {
  await using at = await mcpStage([{ ...inside("off"), disabled: true }]);
  await at.settled();
  expect(at.clients.servers()).toMatchObject([{ name: "off", status: "disabled", tools: [] }]);
  expect([at.clients.toolsets(), at.notes]).toEqual([[], []]);
});
