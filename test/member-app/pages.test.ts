import { expect, test } from "vitest";
import { barriersOf, noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { callTool, gate, say, wait } from "../kit/scripted-model.ts";
import { testTool } from "../kit/test-host.ts";
import { type AppStage, appStage, BUILT_PAGES } from "./stage.ts";

const ADA = "+4915123456789";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const ANSWER = [
  "Here is **what I know**:\n\n- the sun is a star\n- the moon is not\n\n",
  "```sh\ncurl --silent --show-error --location https://example.org/a/rather/long/address | jq '.planets[].name'\n```\n\n",
].join("");

const asks = testTool("asks", {
  run: async (_input, context) =>
    JSON.stringify(
      await context.ask({
        kind: "clarify",
        question: "Which planet do you mean?",
        choices: ["Mars", "Venus"],
      }),
    ),
});

const toolsets = [
  { name: "clarify", label: "Test", description: "Of a test", tools: [asks], configured: true },
];

test.skipIf(noBrowser)(
  "on a phone one signs in, asks, reads, answers, sends a picture, renames, stops and deletes, and nothing keeps anybody out, in both schemes",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES, toolsets });
    await stage.roster.add({ name: "Ada", mobile: ADA });
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`, { ...PHONE, reducedMotion: "reduce" });
    page.setDefaultTimeout(20_000);
    const barriers: string[] = [];
    const look = async (name: string): Promise<void> => {
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        barriers.push(...(await barriersOf(page)).map((each) => `${name}, ${colorScheme}: ${each}`));
        const folder = process.env["APP_SCREENS"];
        if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
      }
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), name).toBe(0);
    };
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const write = async (text: string): Promise<void> => {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await button("Send").click();
    };
    await page.getByLabel("Your mobile number").fill(ADA);
    await look("sign-in");
    await button("Send me a code").click();
    // Six digits are enough: nothing else is to be touched.
    await page.getByLabel("Code").fill(await codeOf(stage));
    await page.getByText("Nothing here yet").waitFor();
    await look("empty");

    const half = gate();
    stage.model.script([say(ANSWER), wait(half), say("That is all.")]);
    await button("New conversation").click();
    await write("What is up there?");
    await page.getByRole("log").getByText("the moon is not").waitFor();
    await look("streaming");
    half.open();
    await page.getByRole("log").getByText("That is all.").waitFor();
    await button("Stop").waitFor({ state: "detached" });

    stage.model.script([callTool("asks")], [say("Mars is red.")]);
    const picture = {
      name: "sky.png",
      mimeType: "image/png",
      buffer: skyPicture(await page.evaluate(DRAWN)),
    };
    await page.locator("input[type=file]").setInputFiles(picture);
    await button("Take picture 1 out").waitFor();
    await write("And this?");
    await button("Mars").waitFor();
    await look("question");
    await button("Mars").click();
    await page.getByRole("log").getByText("Mars is red.").waitFor();
    await button("Show the picture large").click();
    await button("Close the picture").waitFor();
    await look("picture");
    await page.keyboard.press("Escape");
    await look("chat");

    await button("Rename or delete").click();
    await page.getByLabel("Title").fill("Sky");
    await look("rename");
    await button("Rename").click();
    await page.getByRole("heading", { name: "Sky" }).waitFor();
    const never = gate();
    stage.model.script([say("One, two, "), wait(never)]);
    await write("Count for ever");
    await page.getByRole("log").getByText("One, two,").waitFor();
    await button("Stop").click();
    await page.getByRole("log").getByText("Stopped.").waitFor();

    await button("All conversations").click();
    await page.getByRole("link").first().waitFor();
    await look("list");
    await button("You and your devices").click();
    await page.getByText("This one").waitFor();
    await look("me");
    await button("All conversations").click();
    await button("Rename or delete Sky").click();
    await button("Delete").click();
    await button("Delete for good").click();
    await page.getByText("Nothing here yet").waitFor();
    expect(barriers).toEqual([]);
    expect(browser.faults).toEqual([]);
  },
);

const DRAWN = `(() => { const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 420 });
const ink = canvas.getContext("2d"); const sky = ink.createLinearGradient(0, 0, 0, 420);
sky.addColorStop(0, "#14224d"); sky.addColorStop(1, "#c2607a"); ink.fillStyle = sky; ink.fillRect(0, 0, 640, 420);
ink.fillStyle = "#f6d6a8"; ink.beginPath(); ink.arc(460, 130, 46, 0, 7); ink.fill(); return canvas.toDataURL("image/png"); })()`;

const skyPicture = (url: unknown): Buffer => Buffer.from(String(url).replace(/^.*,/, ""), "base64");

/** The code is sent after the answer. */
async function codeOf({ texts }: Pick<AppStage, "texts">): Promise<string> {
  await expect.poll(() => texts.length).toBe(1);
  return texts[0]?.code ?? "";
}
