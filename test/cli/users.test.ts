import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Pairing } from "../../src/chat/index.ts";
import { systemClock } from "../../src/core/index.ts";
import { readIdentity, sqliteStore } from "../../src/providers/store/index.ts";
import { CommandStage } from "../kit/command.ts";

test("users are added, linked, changed and imported, and each change is in the audit log", async () => {
  await using stage = new CommandStage();
  const added = await stage.ask(["users", "add", "Anna Berg", "--mobile", "+49 151 23456789"]);
  expect(added.stdout).toMatch(/^Added: u_[0-9a-f]{12} {2}Anna Berg {2}\+4915123456789 {2}member\n$/);
  await stage.ask(["users", "link", "+49 151 23456789", "telegram:42"]);
  const edited = await stage.ask([
    "users",
    "edit",
    "telegram:42",
    "--role",
    "operator",
    "--mobile",
    "",
    "--budget-tokens",
    "200k",
  ]);
  expect(edited.stdout).toMatch(
    /^Changed: u_\w+ {2}Anna Berg {2}operator {2}200,000 tokens a month {2}telegram:42\n$/,
  );
  const file = join(stage.workspace, "staff.csv");
  writeFileSync(file, "name;mobile\nZoe;+4915123456780\nBad;12\n");
  const imported = await stage.ask(["users", "import", file]);
  expect(imported).toMatchObject({ code: 1, stdout: "1 added, 0 changed, 1 refused.\n" });
  expect(imported.stderr).toContain("Line 3: ");
  expect((await stage.ask(["users", "export"])).stdout).toBe(
    "name,mobile,role,persona,budget_tokens,budget_cost,identities\r\nAnna Berg,,operator,,200000,,telegram:42\r\nZoe,+4915123456780,member,,,,\r\n",
  );
  const audited = (await stage.ask(["dashboard", "audit"])).stdout;
  for (const action of ["user.added", "user.changed"]) expect(audited).toContain(action);
  // A pairing code that is approved may link its person to a user at once.
  const store = await sqliteStore({ home: stage.home, identity: readIdentity(process.pid) });
  const offered = await new Pairing(store.records, systemClock).offer("telegram", { id: "7", name: "Ann" });
  await store[Symbol.asyncDispose]();
  const pair = ["pair", offered?.code ?? "", "--user"];
  expect((await stage.ask([...pair, "nobody"])).stderr).toContain("agent users list");
  await stage.ask([...pair, "telegram:42"]);
  const shown = (await stage.ask(["users", "show", "telegram:7"])).stdout;
  for (const words of ["telegram:42, telegram:7", "200,000 tokens a month"]) expect(shown).toContain(words);
  expect((await stage.ask(["users", "end", "telegram:7"])).stdout).toContain("Signed out everywhere: u_");
  expect((await stage.ask(["users", "show", "nobody"])).stderr).toContain("agent users list");
});
