import { expect, test } from "vitest";
import { barriersOf, noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { gate, say, wait } from "../kit/scripted-model.ts";
import { appStage, BUILT_PAGES } from "./stage.ts";

const ADA = "+4915123456789";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

test.skipIf(noBrowser).each(["light", "dark"] as const)(
  "on a phone in %s colours one signs in, writes and reads the answer as it comes, and nothing keeps anybody out",
  async (colorScheme) => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    await stage.roster.add({ name: "Ada", mobile: ADA });
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`, { ...PHONE, colorScheme });
    page.setDefaultTimeout(20_000);
    const barriers: string[] = [];
    const look = async (name: string): Promise<void> => {
      barriers.push(...(await barriersOf(page)));
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      const folder = process.env["APP_SCREENS"];
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
    };
    await page.getByLabel("Your mobile number").fill(ADA);
    await look("sign-in");
    await page.getByRole("button", { name: "Send me a code" }).click();
    await page.getByLabel("Code").fill(stage.texts[0]?.code ?? (await codeOf(stage)));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Nothing here yet").waitFor();
    await look("empty");
    const half = gate();
    stage.model.script(
      [
        say("Here is **what I know**:\n\n- the sun is a star\n- the moon is not\n\n"),
        wait(half),
        say("That is all."),
      ],
      [say("Sun and moon")],
    );
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByLabel("Message", { exact: true }).fill("What is up there?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("the moon is not").waitFor();
    await look("streaming");
    half.open();
    await page.getByText("That is all.").waitFor();
    await look("chat");
    await page.getByRole("button", { name: "All conversations" }).click();
    await page.getByRole("link").first().waitFor();
    await look("list");
    await page.getByRole("button", { name: "You and your devices" }).click();
    await page.getByText("This one").waitFor();
    await look("me");
    await page.getByRole("button", { name: "Sign out here" }).click();
    await page.getByLabel("Your mobile number").waitFor();
    expect(barriers).toEqual([]);
    expect(browser.faults).toEqual([]);
  },
);

/** The code is sent after the answer. */
async function codeOf({ texts }: { readonly texts: readonly { readonly code: string }[] }): Promise<string> {
  await expect.poll(() => texts.length).toBe(1);
  return texts[0]?.code ?? "";
}
