import { expect } from "vitest";
import type { Page } from "playwright-core";
import type { TestBrowser } from "../dashboard/browser.ts";
import type { SmsService } from "./sms-service.ts";

/** The member whose app is shown. */
export const PICTURED = { name: "Ann", mobile: "+4915123456789" } as const;

/** What she asks, and what the model says to it. */
export const PICTURED_TALK = {
  "Which invoices of March are open?": [
    "Three are open:\n\n",
    "| Invoice | Due | Amount |\n|---|---|---|\n| 2024-031 | 14 March | €1,240 |\n| 2024-038 | 21 March | €310 |\n| 2024-040 | 28 March | €95 |\n\n",
    "The first one is **12 days late**. Shall I draft a reminder?",
  ].join(""),
  "How many days of leave do I have left?":
    "You have **9 days** left this year; four of them end with March.",
} as const;

/** Takes pictures of the members' app on a phone, in both schemes. */
export async function takeAppPictures(
  address: string,
  { browser, sms }: { readonly browser: TestBrowser; readonly sms: SmsService },
  take: (name: string, page: Page) => Promise<void>,
): Promise<void> {
  const page = await browser.open(new URL("/app", address).href.split("#", 1)[0] ?? "", {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: "reduce",
  });
  const inBoth = async (name: string): Promise<void> => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await take(`app-${name}-${colorScheme}`, page);
    }
  };
  await page.getByLabel("Your mobile number").fill(PICTURED.mobile);
  await inBoth("sign-in");
  await page.getByRole("button", { name: "Send me a code" }).click();
  await page.getByLabel("Code").waitFor();
  await expect.poll(() => sms.texts.length).toBe(1);
  await page.getByLabel("Code").fill(sms.texts[0]?.slice(0, 6) ?? "");
  for (const question of Object.keys(PICTURED_TALK).toReversed()) {
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByLabel("Message", { exact: true }).fill(question);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await page.locator("strong").first().waitFor();
    if (question === Object.keys(PICTURED_TALK)[0]) await inBoth("chat");
    await page.getByRole("button", { name: "All conversations" }).click();
  }
  await page.getByRole("link").nth(1).waitFor();
  await page.getByRole("button", { name: "Not now" }).click();
  await inBoth("chats");
}
