import { expect, test } from "vitest";
import type { UserImport, UserRow } from "../../src/dashboard/api/user-routes.ts";
import { CommandStage } from "../kit/command.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

test("users are added, changed, linked, imported and removed at the dashboard, each step in the audit log", async () => {
  await using stage = new CommandStage();
  stage.configure("personas:\n  desk: {instructions: Be kind.}\n");
  const address = await startDashboard(stage);
  const operator = await operatorAt(address);
  const rowOf = async (answer: Response): Promise<UserRow> => (await answer.json()) as UserRow;
  const added = await operator.post("/users", {
    name: "Anna \u202EBerg\u0007",
    mobile: "+49 151 23456789",
    budget: { tokens: 200_000, cost: null },
  });
  expect(added.status).toBe(201);
  const anna = await rowOf(added);
  expect(anna).toMatchObject({ name: "Anna Berg", role: "member", budget: { tokens: 200_000, cost: null } });
  const one = `/users/${anna.id}`;
  const refused = await operator.post("/users", { name: "Ben", mobile: "0151" });
  expect([refused.status, JSON.stringify(await refused.json())]).toEqual([
    400,
    expect.stringContaining('"param":"mobile"'),
  ]);
  expect((await operator.post("/users", { name: "Ben", mobile: "+4915123456789" })).status).toBe(409);
  expect((await operator.patch(one, { budget: { tokens: -1 } })).status).toBe(400);
  const strange = await operator.patch(one, { persona: "disk" });
  expect([strange.status, await strange.text()]).toEqual([400, expect.stringContaining("There are desk.")]);
  const changed = await rowOf(
    await operator.patch(one, { budget: { tokens: null, cost: 20 }, persona: "desk" }),
  );
  expect(changed).toMatchObject({ budget: { tokens: null, cost: 20 }, persona: "desk" });
  expect(await rowOf(await operator.post(`${one}/link`, { identity: "telegram:42" }))).toMatchObject({
    identities: ["telegram:42"],
  });
  expect((await operator.post(`${one}/link`, { identity: "user:u_000000000000" })).status).toBe(400);
  const csv = "name;mobile;budget_tokens\nEva;+49 151 23456780;5k\nBad;12;\nAnna;+4915123456789;\n";
  const outcome = async (verb: string, text: string): Promise<UserImport> =>
    (await (await operator.post(`/users/${verb}`, { csv: text })).json()) as UserImport;
  expect(await outcome("preview", csv)).toMatchObject({
    added: [{ line: 2, name: "Eva" }],
    changed: [{ line: 4, name: "Anna" }],
    refused: [{ line: 3, reason: expect.stringContaining("no mobile number") }],
  });
  expect(await (await operator.get("/users")).json()).toMatchObject({ data: [{ name: "Anna Berg" }] });
  expect((await operator.post("/users/preview", { csv: "who\nEva" })).status).toBe(400);
  expect(await outcome("import", csv)).toMatchObject({
    added: [{ line: 2, name: "Eva" }],
    changed: [{ line: 4, name: "Anna" }],
    refused: [{ line: 3 }],
  });
  const page = (await (await operator.get("/users?q=eva&limit=1")).json()) as { data: readonly UserRow[] };
  expect(page.data).toMatchObject([{ name: "Eva", budget: { tokens: 5000 } }]);
  expect(await (await operator.get("/users/export")).text()).toContain(
    "Anna,+4915123456789,member,desk,,20,",
  );
  for (const disabled of [true, false])
    expect(await rowOf(await operator.patch(one, { disabled }))).toMatchObject({ disabled });
  expect((await operator.post(`${one}/end`)).status).toBe(200);
  expect((await operator.post(`${one}/unlink`, { identity: "telegram:42" })).status).toBe(200);
  expect((await operator.remove(one)).status).toBe(200);
  for (const path of [one, "/users/..%2Fx"]) expect((await operator.get(path)).status).toBe(404);
  const audit = (await (await operator.get("/audit")).json()) as { data: readonly { action: string }[] };
  expect(audit.data.map(({ action }) => action).toReversed()).toEqual([
    "sign-in",
    "user.added",
    "user.changed",
    "user.changed",
    "user.added",
    "user.changed",
    "user.changed",
    "user.changed",
    "user.sessions-ended",
    "user.changed",
    "user.removed",
  ]);
  const { origin } = new URL(address);
  for (const path of ["/users", "/users/export", one])
    expect((await fetch(`${origin}/dashboard/api${path}`)).status).toBe(401);
});

test.skipIf(noBrowser)("with the keyboard alone a user is added, linked, imported and removed", async () => {
  await using stage = new CommandStage();
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address, { viewport: { width: 360, height: 780 }, colorScheme: "dark" });
  const press = async (role: "link" | "button", name: string): Promise<void> => {
    await page.getByRole(role, { name, exact: true }).first().focus();
    await page.keyboard.press("Enter");
  };
  const fits = (): Promise<unknown> =>
    page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.goto(new URL("/users", address).href);
  await page.getByText("Nobody is on the roster yet").waitFor();
  await press("link", "New user");
  await page.getByLabel("Name").fill("Anna Berg");
  await page.getByLabel("Mobile number").fill("0151");
  await page.keyboard.press("Enter");
  await page.getByText("is no mobile number").first().waitFor();
  expect([await barriersOf(page), await fits()]).toEqual([[], true]);
  await page.getByLabel("Mobile number").fill("+49 151 23456789");
  await page.getByLabel("Tokens a month").fill("200000");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Anna Berg" }).waitFor();
  await page.getByText("0 of 200K tokens").waitFor();
  await page.getByLabel("Identity").fill("telegram:42");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Unlink telegram:42" }).waitFor();
  expect([await barriersOf(page), await fits()]).toEqual([[], true]);
  await press("link", "All users");
  await press("link", "Import");
  await page.getByLabel("Its text").fill("name,mobile\n<b>Eva</b>,+4915123456780\nBad,12\n");
  await press("button", "Check");
  await page.getByText("1 added, 0 changed, 1 refused.").waitFor();
  expect([await barriersOf(page), await fits()]).toEqual([[], true]);
  await press("button", "Import 1 user");
  await page.getByRole("region", { name: "Imported" }).waitFor();
  await page.emulateMedia({ colorScheme: "light" });
  await press("link", "All users");
  await page.getByRole("link", { name: "<b>Eva</b>" }).waitFor();
  expect([await barriersOf(page), await fits()]).toEqual([[], true]);
  await press("link", "<b>Eva</b>");
  await press("button", "Remove");
  await page.getByRole("alertdialog").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).press("Enter");
  await page.getByRole("link", { name: "Anna Berg" }).waitFor();
  await page.getByRole("link", { name: "<b>Eva</b>" }).waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1280, height: 800 });
  if (process.env["SHOW_PAGES"]) await page.screenshot({ path: `${process.env["SHOW_PAGES"]}/users.png` });
  await press("link", "Anna Berg");
  await page.getByRole("heading", { level: 1, name: "Anna Berg" }).waitFor();
  if (process.env["SHOW_PAGES"]) await page.screenshot({ path: `${process.env["SHOW_PAGES"]}/user.png` });
  expect(browser.faults).toEqual([]);
});
