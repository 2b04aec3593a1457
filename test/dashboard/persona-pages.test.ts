import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { reply, say, startModelServer } from "../kit/model-server/index.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { holdLine } from "./page-line.ts";
import { operatorAt, type Visitor } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

const refusal = async (response: Response): Promise<readonly [number, string]> => {
  const { error } = (await response.json()) as { readonly error: { readonly message: string } };
  return [response.status, error.message];
};

const actionsOf = async (operator: Visitor): Promise<readonly string[]> => {
  const { data } = (await (await operator.get("/audit")).json()) as {
    readonly data: readonly { readonly action: string }[];
  };
  return data.map(({ action }) => action).filter((action) => action.startsWith("persona."));
};

test("personas are made, changed, brought back and removed; who is second is told of the first, and nobody loses theirs", async () => {
  await using stage = new CommandStage();
  stage.configure(
    "personas:\n  desk:\n    instructions: Be kind.\npersonalities:\n  pirate: Arr.\nplatforms:\n  telegram:\n    extra:\n      channels:\n        '42': {persona: clerk}\n",
  );
  const operator = await operatorAt(await startDashboard(stage));
  const create = (name: string, fields: object) => operator.post("/personas", { name, fields });
  for (const [name, fields, words] of [
    ["clerk", { toolsets: ["wep"] }, "There are files"],
    ["clerk", { skills: ["juggling"] }, "There are none."],
    ["clerk", { instructions: "x".repeat(40_000) }, "40000 characters"],
    ["none", {}, "stands for no persona"],
    ["a/🦜", {}, "letters"],
  ] as const) {
    const [status, message] = await refusal(await create(name, fields));
    expect([status, message]).toEqual([400, expect.stringContaining(words)]);
  }
  expect(await refusal(await create("desk", {}))).toEqual([409, expect.stringContaining("personas.desk")]);
  expect((await create("clerk", { instructions: "One.\r\nTwo.", toolsets: ["web"] })).status).toBe(200);
  // Made by two: the second one changes nothing.
  expect((await refusal(await create("clerk", { instructions: "Mine." })))[0]).toBe(409);
  const change = (version: number, instructions: string) =>
    operator.patch("/personas/one/clerk", { version, fields: { instructions } });
  expect((await change(1, "Hers.")).status).toBe(200);
  expect(await refusal(await change(1, "His."))).toEqual([409, expect.stringContaining("saved version 2")]);
  const detail = await (await operator.get("/personas/one/clerk")).json();
  expect(detail).toMatchObject({
    persona: { fields: { instructions: "Hers." }, uses: [{ kind: "channel", title: "telegram:42" }] },
    versions: [{ version: 2 }, { version: 1, fields: { instructions: "One.\nTwo.", toolsets: ["web"] } }],
  });
  const remove = (version: number) => operator.remove("/personas/one/clerk", { version });
  expect(await refusal(await remove(2))).toEqual([
    409,
    expect.stringContaining("platforms.telegram.extra.channels.42.persona"),
  ]);
  stage.configure("personalities:\n  pirate: Arr.\n");
  await expect.poll(async () => (await remove(2)).status, { timeout: 30_000 }).toBe(200);
  expect((await change(3, "Back.")).status).toBe(200);
  expect(await (await operator.get("/personas?q=back")).json()).toMatchObject({ data: [{ name: "clerk" }] });
  const trial = await operator.post("/personas/trials", { name: "draft", fields: { instructions: "Hm." } });
  const { session_id: tried } = (await trial.json()) as { readonly session_id: string };
  expect((await operator.post("/personas/trials", { name: "draft", fields: { skills: ["x"] } })).status).toBe(
    400,
  );
  expect((await operator.remove(`/personas/trials/${tried}`)).status).toBe(200);
  expect(await (await operator.get("/personas/choices")).json()).toMatchObject({
    toolsets: expect.arrayContaining(["web", "files"]),
  });
  expect(await actionsOf(operator)).toEqual([
    "persona.changed",
    "persona.removed",
    "persona.changed",
    "persona.created",
  ]);
});

test.skipIf(noBrowser)(
  "with the keyboard a persona is written, tried while it is a draft, saved and taken back, on a phone too",
  async () => {
    const asked: string[] = [];
    await using model = await startModelServer({
      answer: ({ body }) => {
        asked.push(JSON.stringify(body));
        return reply(say("Welcome to the **front desk**."));
      },
    });
    await using stage = new CommandStage();
    stage.configure(
      JSON.stringify({
        model: { provider: "local", base_url: model.baseUrl, default: "m", context_length: 128_000 },
        personas: { ours: { instructions: "Ours." } },
      }),
    );
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address, { colorScheme: "dark", viewport: { width: 360, height: 780 } });
    await page.getByRole("region", { name: "Needs somebody" }).waitFor();
    page.setDefaultTimeout(20_000);
    const line = await holdLine(page);
    await page.goto(new URL("/personas", address).href);
    await page.getByRole("link", { name: "ours" }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("link", { name: "New persona" }).press("Enter");
    await page.getByLabel("Name").fill("clerk");
    await page.getByLabel("Instructions").fill("You are the clerk of drafts.");
    const toolsets = page.getByRole("group", { name: "Toolsets" });
    await toolsets.getByLabel("All that its place has").press("Space");
    await toolsets.getByLabel("web").press("Space");
    await page.getByLabel("Message").fill("who are you?");
    const answer = line.hold("prompt.submit");
    await page.getByLabel("Message").press("Enter");
    (await answer).lose();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Message").press("Enter");
    const talk = page.getByRole("region", { name: "Trial" });
    await talk.locator("strong", { hasText: "front desk" }).waitFor();
    const questions = asked.filter((body) => body.includes("who are you?"));
    expect(questions).toEqual([expect.stringContaining("clerk of drafts")]);
    expect(await barriersOf(page)).toEqual([]);
    // It is no wider than the screen.
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    const chosen = page.getByLabel("Model");
    await chosen.fill("nowhere:big");
    await page.getByRole("button", { name: "Make the persona" }).press("Enter");
    await page.getByText("There is no provider named nowhere").waitFor();
    await chosen.fill("");
    await page.getByLabel("Name").fill("ours");
    await page.getByRole("button", { name: "Make the persona" }).press("Enter");
    await page.getByText("stands in config.yaml").waitFor();
    await page.getByLabel("Name").fill("clerk");
    await page.getByRole("button", { name: "Make the persona" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "clerk" }).waitFor();
    await page.getByLabel("Instructions").fill("Changed.");
    await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await page.getByText("Version 2", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Changes of version 2" }).press("Enter");
    await page.getByText("- You are the clerk of drafts.").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Back to version 1" }).press("Enter");
    await page.getByText("Version 3", { exact: true }).waitFor();
    await expect
      .poll(() => page.getByLabel("Instructions").inputValue())
      .toBe("You are the clerk of drafts.");
    // Somebody else saves while one writes: what was written stays.
    const operator = page.context().request;
    const other = await operator.fetch(new URL("/dashboard/api/personas/one/clerk", address).href, {
      method: "PATCH",
      data: { version: 3, fields: { instructions: "Theirs." } },
      headers: { "sec-fetch-site": "same-origin", origin: new URL(address).origin },
    });
    expect(other.status()).toBe(200);
    await page.getByLabel("Instructions").fill("Mine.");
    await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await page.getByText("saved version 4 meanwhile").waitFor();
    expect(await page.getByLabel("Instructions").inputValue()).toBe("Mine.");
    await page.getByRole("button", { name: "Keep mine" }).press("Enter");
    await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await page.getByText("Version 5", { exact: true }).waitFor();
    await page.goto(new URL("/sessions", address).href);
    await page.getByText("No session yet").waitFor();
    expect(browser.faults).toEqual([]);
  },
);
