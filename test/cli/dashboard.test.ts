import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { operatorAt } from "../dashboard/stage.ts";
import { startDashboard } from "../dashboard/start-dashboard.ts";

test("who is signed in is listed and signed out by command, and the audit log says all of it", async () => {
  await using stage = new CommandStage();
  expect((await stage.ask(["dashboard", "audit"])).stdout).toBe("Nothing was done at the dashboard yet.\n");
  const operator = await operatorAt(await startDashboard(stage));
  const who = await stage.ask(["dashboard", "who"]);
  const [, id = ""] =
    /^(\w{32}) {2}operator by address, seen .* {2}127\.0\.0\.1 {2}Test browser\n$/.exec(who.stdout) ?? [];
  const exported = await operator.get("/audit/export");
  expect(exported.headers.get("content-disposition")).toContain("audit.jsonl");
  const lines = (await exported.text()).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { action: "audit.export", from: "127.0.0.1" },
    { action: "sign-in", after: { way: "address" }, at: expect.stringMatching(/^2\d{3}-.*Z$/) },
  ]);

  expect((await stage.ask(["dashboard", "signout", id])).stdout).toBe("operator is signed out.\n");
  expect((await operator.get("/audit")).status).toBe(401);
  expect((await stage.ask(["dashboard", "who"])).stdout).toBe("Nobody is signed in.\n");
  const again = await stage.ask(["dashboard", "signout", id]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("agent dashboard who")]);
  const audit = await stage.ask(["dashboard", "audit", "--limit", "2"]);
  expect(audit.stdout).toMatch(
    new RegExp(`^.*operator {2}this machine {2}sign-in\\.ended {2}${id}\\n.*audit\\.export\\n$`),
  );
  const json = (await stage.ask(["dashboard", "audit", "--json"])).stdout.trim().split("\n");
  expect(json.slice(1)).toEqual(lines);
});
