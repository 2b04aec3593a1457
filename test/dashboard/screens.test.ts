import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import sharp from "sharp";
import { CommandStage } from "../kit/command.ts";
import { callTool, field, reply, say, startModelServer } from "../kit/model-server/index.ts";
import { PICTURED, PICTURED_TALK, takeAppPictures } from "../member-app/app-pictures.ts";
import { smsService } from "../member-app/sms-service.ts";
import { noBrowser, openTestBrowser } from "./browser.ts";
import { seedHome } from "./seeded-home.ts";
import { startDashboard } from "./start-dashboard.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "docs/screens");
const MOST_BYTES = 150_000;

/** The pages, by the names of their pictures. */
const PAGES = {
  home: "/",
  sessions: "/sessions",
  approvals: "/approvals",
  connectors: "/connectors",
  "set-up": "/connectors/telegram",
  personas: "/personas",
  users: "/users",
  jobs: "/jobs",
  webhooks: "/hooks",
  models: "/models",
  skills: "/skills",
  memory: "/memory",
  kb: "/kb",
  system: "/system",
} as const;

const FORMS = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { name: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;

// `npm run screens` takes them anew.
test.skipIf(process.env["UPDATE_SCREENS"] === undefined || noBrowser)(
  "a picture of each page, light, dark and on a phone",
  async () => {
    await using stage = new CommandStage();
    await seedHome(stage.home, Date.now());
    await using sms = await smsService();
    await using model = await startModelServer({ answer: ({ body }) => reply(stepFor(body)) });
    stage.configure(
      JSON.stringify({
        model: { provider: "local", base_url: model.baseUrl, default: "m", context_length: 128_000 },
        webhooks: { private_hosts: ["127.0.0.1"] },
        personas: {
          "Front desk": {
            instructions: "You are the front desk of Hotel Lindner. Be kind, and brief.",
            toolsets: ["web", "kb"],
            collections: ["hotel"],
            budget: { cost: 2 },
          },
          Press: { instructions: "You write for the press: plain words, no promises.", toolsets: ["web"] },
        },
        platforms: {
          webhook: { enabled: true, extra: { port: 0 } },
          sms: { enabled: true, account_sid: "AC1", from: "+15550100", base_url: sms.url },
        },
      }),
    );
    stage.env["SMS_TOKEN"] = "token";
    await stage.run(["users", "add", PICTURED.name, "--mobile", PICTURED.mobile, "--budget-cost", "20"]);
    await stage.run(["users", "add", "Ben Roth", "--role", "operator", "--persona", "Press"]);
    mkdirSync(join(stage.workspace, "handbook"));
    writeFileSync(join(stage.workspace, "handbook", "leave.md"), "# Leave\n\n## Days\n\nThirty a year.\n");
    writeFileSync(join(stage.workspace, "handbook", "rooms.md"), "# Rooms\n\nBreakfast is from 7 to 10.\n");
    await stage.run([
      "kb",
      "add",
      join(stage.workspace, "handbook"),
      "--collection",
      "hotel",
      "--every",
      "1h",
    ]);
    writeFileSync(join(stage.workspace, "outbox.test.ts"), "test('waits for the clock', …);\n");
    mkdirSync(join(stage.home, "skills", "notes"), { recursive: true });
    mkdirSync(join(stage.home, "memories"), { recursive: true });
    stage.write(
      "skills/notes/SKILL.md",
      "---\nname: notes\ndescription: Takes notes of meetings\n---\nBe brief.\n",
    );
    stage.write(
      "memories/MEMORY.md",
      "- Deploys happen on Tuesdays\n- Invoices are in the folder `finance`\n",
    );
    for (const [every, words] of [
      ["every 1h", "Look for failed builds"],
      ["0 8 * * *", "Write the morning report"],
    ] as const)
      await stage.run(["jobs", "create", every, words]);
    await stage.run(["webhook", "out", "add", "http://127.0.0.1:9/agent", "--description", "Pager"]);
    await stage.run(["run", "Find the flaky test of the outbox"]);
    const [{ id = "" } = {}] = JSON.parse((await stage.run(["sessions", "list", "--json"])).stdout) as {
      readonly id?: string;
    }[];
    const pages = { ...PAGES, session: `/sessions/${id}` };
    // Reads everything into the index.
    await stage.run(["stats"]);
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    mkdirSync(FOLDER, { recursive: true });
    const page = await browser.open(address, { reducedMotion: "reduce" });
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    for (const { name: form, colorScheme, viewport } of FORMS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(new URL(path, address).href.split("#", 1)[0] ?? "", { waitUntil: "networkidle" });
        if (name === "session") await page.getByRole("button", { name: "Time line" }).click();
        await page.evaluate(withoutPaths, [ROOT, stage.folder]);
        await keep(`${name}-${form}`, await page.screenshot({ fullPage: name === "home" }));
      }
    }
    await takeAppPictures(address, { browser, sms }, async (name, app) => keep(name, await app.screenshot()));
    expect(browser.faults).toEqual([]);
  },
);

const keep = async (name: string, picture: Buffer): Promise<void> =>
  void (await sharp(picture)
    .png({ palette: true, effort: 10 })
    .toFile(join(FOLDER, `${name}.png`)));

/** In the page: folders of this machine get other names. */
function withoutPaths(folders: readonly string[]): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    for (const folder of folders)
      text.nodeValue = (text.nodeValue ?? "").replaceAll(folder, "/home/ann/agent");
}

/** The model looks for the file, reads it, and answers. */
function stepFor(body: unknown): Parameters<typeof reply>[0] {
  const messages = field(body, "messages");
  const said = JSON.stringify(messages);
  for (const [question, answer] of Object.entries(PICTURED_TALK))
    if (said.includes(question)) return say(answer);
  const results = Array.isArray(messages) ? messages.filter((each) => field(each, "role") === "tool") : [];
  if (results.length === 0) return [callTool("search_files", { pattern: "outbox" })];
  if (results.length === 1) return [callTool("read_file", { path: "outbox.test.ts" })];
  return say(
    "It is `outbox.test.ts`: it waits for the wall clock. With a clock that the test moves by hand it passes **200 of 200** times.",
  );
}

test("pictures of the documentation are small", () => {
  const large = readdirSync(FOLDER).filter((name) => statSync(join(FOLDER, name)).size > MOST_BYTES);
  expect(large).toEqual([]);
});
