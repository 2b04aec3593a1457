import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { say } from "../kit/scripted-model.ts";
import { noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { type SqliteHome, sqliteHome } from "../providers/store/sqlite/sqlite-home.ts";
import { appStage, BUILT_PAGES, messagesUntil, signInAs } from "./stage.ts";

const ADA = "+4915123456789";

interface View {
  readonly conversation: { readonly damaged: boolean };
  readonly messages: readonly { readonly text: string }[];
}

/** Damages the newest row of a session, as a disk does; `wholly`: the state that was kept of it too. */
function damage({ database: file }: SqliteHome, id: string, { wholly }: { readonly wholly: boolean }): void {
  using database = new DatabaseSync(file, { timeout: 5000 });
  const own = "session = (SELECT key FROM sessions WHERE id = ?)";
  const newest = `seq = (SELECT max(seq) FROM rows WHERE ${own})`;
  database.prepare(`UPDATE rows SET crc = crc + 1 WHERE ${own} AND ${newest}`).run(id, id);
  if (wholly) database.prepare(`DELETE FROM states WHERE ${own}`).run(id);
}

test.for([true, false])(
  "a damaged conversation is shown as damaged with what can be read of it, and takes nothing more, the state lost too: %s",
  async (wholly) => {
    await using home = await sqliteHome();
    await using stage = await appStage({ store: await home.openHost() });
    const ada = await stage.member("Ada", ADA);
    stage.model.script([say("The first answer.")], [say("The second answer.")]);
    const id = await ada.say("first");
    const events = `/conversations/${id}/events`;
    const after = (await messagesUntil(await ada.get(events), "end")).at(-1)?.id ?? "";
    await ada.say("second", { conversation_id: id });
    await messagesUntil(await ada.get(`${events}?after=${after}`), "end");
    const other = await ada.say("elsewhere");
    damage(home, id, { wholly });

    const view = (await (await ada.get(`/conversations/${id}`)).json()) as View;
    expect(view.conversation.damaged).toBe(true);
    expect(view.messages.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["first", "The first answer.", "second"]),
    );
    const { data } = (await (await ada.get("/conversations")).json()) as {
      readonly data: readonly { readonly id: string; readonly damaged: boolean }[];
    };
    expect(Object.fromEntries(data.map((each) => [each.id, each.damaged]))).toEqual({
      [id]: true,
      [other]: false,
    });
    const refused = await ada.post("/prompts", {
      id: "into-the-damaged",
      text: "third",
      conversation_id: id,
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      500,
      { error: { code: "session_damaged", message: expect.stringMatching(/^This conversation is damaged/) } },
    ]);
  },
);

test.skipIf(noBrowser)(
  "what waits for a damaged conversation is refused in words and can be removed, and the page shows what can be read",
  async () => {
    await using home = await sqliteHome();
    await using stage = await appStage({ store: await home.openHost(), pages: BUILT_PAGES });
    const ada = await stage.member("Ada", ADA);
    stage.model.script([say("It can be read.")]);
    const id = await ada.say("first");
    await messagesUntil(await ada.get(`/conversations/${id}/events`), "end");
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    await signInAs(ada, page.context(), stage.url);
    await page.goto(`${stage.url}/app/c/${id}`);
    const log = page.getByRole("log");
    await log.getByText("It can be read.").waitFor();
    await page.route("**/app/api/prompts", (route) => route.abort("connectionreset"));
    await page.getByLabel("Message", { exact: true }).fill("into the damaged one");
    await page.getByRole("button", { name: "Send" }).click();
    await log.getByText("Sending…", { exact: true }).waitFor();

    damage(home, id, { wholly: true });
    await page.unrouteAll();
    await page.reload();
    await page.getByText("This conversation is damaged. What can be read of it is shown").waitFor();
    await log.getByText("It can be read.").waitFor();
    await log.getByText("Not sent: This conversation is damaged and takes nothing more.").waitFor();
    await log.getByRole("button", { name: "Remove" }).click();
    await log.getByText("into the damaged one").waitFor({ state: "detached" });
    await page.getByRole("link", { name: /Damaged/ }).waitFor();
    expect(browser.faults).toEqual([`500 ${stage.url}/app/api/prompts`]);
  },
);

test.skipIf(noBrowser)(
  "a conversation that takes nothing now keeps no other waiting, and its own messages keep their order",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", ADA);
    const [held, other] = [await ada.say("held"), await ada.say("other")];
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    await signInAs(ada, page.context(), stage.url);
    const asked: string[] = [];
    const error = { code: "session_unreachable", message: "Its host does not answer." };
    await page.route("**/app/api/prompts", (route) => {
      const { text, conversation_id: id } = route.request().postDataJSON() as Record<string, string>;
      asked.push(text ?? "");
      return id === held ? route.fulfill({ status: 503, json: { error } }) : route.continue();
    });
    const log = page.getByRole("log");
    const write = async (text: string): Promise<void> => {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Send" }).click();
      await log.getByText(text).waitFor();
    };
    await page.goto(`${stage.url}/app/c/${held}`);
    await write("one");
    await write("two");
    await page.getByRole("link", { name: /other/ }).click();
    stage.model.script([say("It came.")]);
    await write("three");
    await log.getByText("It came.").waitFor();
    expect(asked).toContain("one");
    expect(asked).not.toContain("two");

    await page.unrouteAll();
    stage.model.script([say("Late, but whole.")], [say("And the second.")]);
    await page.goto(`${stage.url}/app/c/${held}`);
    await log.getByText("And the second.").waitFor();
    expect((await log.innerText()).indexOf("one")).toBeLessThan((await log.innerText()).indexOf("two"));
    expect(browser.faults.filter((fault) => !fault.startsWith("503 "))).toEqual([]);
    expect(other).not.toBe(held);
  },
);
