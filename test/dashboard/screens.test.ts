import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import sharp from "sharp";
import { CommandStage } from "../kit/command.ts";
import { noBrowser, openTestBrowser } from "./browser.ts";
import { seedHome } from "./seeded-home.ts";
import { startDashboard } from "./start-dashboard.ts";

const FOLDER = join(import.meta.dirname, "../../docs/screens");
const MOST_BYTES = 150_000;

/** The pages, by the names of their pictures. */
const PAGES = {
  home: "/",
  sessions: "/sessions",
  session: "/sessions/seed_000",
  approvals: "/approvals",
  connectors: "/connectors",
  "set-up": "/connectors/telegram",
  jobs: "/jobs",
  models: "/models",
  skills: "/skills",
  memory: "/memory",
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
    stage.configure("platforms: {webhook: {enabled: true, extra: {port: 0}}}\n");
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
    await stage.run(["run", "What can you do?"]);
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
      for (const [name, path] of Object.entries(PAGES)) {
        await page.goto(new URL(path, address).href.split("#", 1)[0] ?? "", { waitUntil: "networkidle" });
        const picture = await page.screenshot({ fullPage: name === "home" });
        await sharp(picture)
          .png({ palette: true, effort: 10 })
          .toFile(join(FOLDER, `${name}-${form}.png`));
      }
    }
    expect(browser.faults).toEqual([]);
  },
);

test("pictures of the documentation are small", () => {
  const large = readdirSync(FOLDER).filter((name) => statSync(join(FOLDER, name)).size > MOST_BYTES);
  expect(large).toEqual([]);
});
