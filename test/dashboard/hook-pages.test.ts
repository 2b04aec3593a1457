import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { freePort } from "../kit/free-port.ts";
import { Receiver } from "../kit/receiver.ts";
import { Webhook } from "../kit/standard-webhooks.ts";
import { sign } from "../automation/webhook/stage.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

const SECRET = "a-good-webhook-secret-0123";

/** Starts a gateway with the dashboard and webhooks, and gives the address that signs in and that of webhooks. */
async function startBoth(stage: CommandStage) {
  const port = await freePort();
  Object.assign(stage.env, {
    DASHBOARD_ENABLED: "true",
    DASHBOARD_PORT: "0",
    WEBHOOK_ENABLED: "true",
    WEBHOOK_SECRET: SECRET,
    WEBHOOK_PORT: String(port),
  });
  stage.configure(
    "webhooks: {private_hosts: [127.0.0.1]}\nplatforms: {webhook: {extra: {host: 127.0.0.1}}}\n",
  );
  const gateway = stage.start(["gateway"]);
  await new Promise<void>((resolve) =>
    gateway.child.stderr.on("data", (text: string) => {
      if (text.includes("dashboard on")) resolve();
    }),
  );
  const address = (await stage.run(["dashboard", "--print-only"])).stdout.trim();
  return { address, url: `http://127.0.0.1:${port}/webhooks/agent` };
}

test.skipIf(noBrowser)(
  "calls are seen with their bodies, whatever became of them, and routes are tried",
  async () => {
    await using stage = new CommandStage();
    const { address, url } = await startBoth(stage);
    const body = JSON.stringify({ message: "count to 3", note: `the key is ${SECRET}` });
    const headers = sign(body, SECRET);
    expect((await fetch(url, { method: "POST", body, headers })).status).toBe(200);
    expect((await fetch(url, { method: "POST", body, headers })).status).toBe(200);
    expect((await fetch(url, { method: "POST", body: "forged", headers })).status).toBe(401);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("link", { name: "Incoming calls" }).click();
    const calls = page.getByRole("region", { name: "Calls" }).first();
    await calls.getByText("Invalid signature").waitFor();
    await calls.getByText("Sent twice").waitFor();
    await page.getByRole("button", { name: "Test agent" }).click();
    await page.getByRole("status").filter({ hasText: "200" }).waitFor();
    await page.getByLabel("At the door").selectOption("refused");
    await page.waitForURL(/state=refused/);
    await calls.getByText("Sent twice").waitFor({ state: "detached" });
    await calls.getByRole("link", { name: "agent" }).click();
    await page.getByText("Invalid signature").waitFor();
    expect(await page.content()).not.toContain("forged");
    await page.goBack();
    expect(await page.getByLabel("At the door").inputValue()).toBe("refused");
    await page.getByLabel("At the door").selectOption("accepted");
    await calls.getByText("Done").first().waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await calls.getByRole("link", { name: "agent" }).last().click();
    await page.getByText("1 2 3").waitFor();
    await page.getByText("the key is").waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(await barriersOf(page)).toEqual([]);
    const listed = (await stage.ask(["webhook", "calls", "list", "--json"])).stdout;
    const found = JSON.parse(listed) as readonly { readonly id: string; readonly outcome: string }[];
    expect(found.map(({ outcome }) => outcome)).toEqual(["completed", "refused", "duplicate", "completed"]);
    const shown = (await stage.ask(["webhook", "calls", "show", found.at(-1)?.id ?? ""])).stdout;
    expect([shown.includes("count to 3"), shown.includes(SECRET)]).toEqual([true, false]);
    expect(browser.faults).toEqual([]);
  },
);

test.skipIf(noBrowser)(
  "an address is added, tried, followed and switched in the page, with the keyboard alone",
  async () => {
    await using receiver = await Receiver.start();
    await using stage = new CommandStage();
    stage.configure("webhooks: {private_hosts: [127.0.0.1]}\n");
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    const press = async (role: "link" | "button", name: string): Promise<void> => {
      await page.getByRole(role, { name, exact: true }).first().focus();
      await page.keyboard.press("Enter");
    };
    await press("link", "Webhooks");
    await page.getByText("Nobody is told of anything yet").waitFor();
    await press("link", "New address");
    await page.getByRole("textbox", { name: "Address" }).fill("http://10.1.2.3/hook");
    await page.keyboard.press("Enter");
    await page.getByText("private address").waitFor();
    await page.getByRole("textbox", { name: "Address" }).fill(receiver.url);
    await page.getByLabel("Description").fill("Pager");
    await page.getByLabel("turn.completed").focus();
    await page.keyboard.press("Space");
    expect(await barriersOf(page)).toEqual([]);
    await press("button", "Add the address");
    const secret = (await page.getByRole("region", { name: "Secret" }).locator("code").innerText()).trim();
    expect(await barriersOf(page)).toEqual([]);
    await press("link", "I have copied it");
    await page.getByRole("heading", { level: 1, name: "Pager" }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await press("button", "Send a test event");
    await page.getByText("told 200").waitFor();
    const [{ body, headers }] = receiver.received as [Receiver["received"][number]];
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "webhook.test" });
    expect(await barriersOf(page)).toEqual([]);
    receiver.answer = 500;
    await press("button", "Send again");
    await page.getByText("told 500").waitFor();
    await page.getByText("On its way").waitFor();
    expect((await stage.run(["run", "say hello"])).code).toBe(0);
    await receiver.first(({ event }) => event.type === "turn.completed");
    await press("link", "All webhooks");
    await page.getByText("Failing").waitFor();
    await page.getByLabel("Filter events").fill("turn");
    await page
      .getByRole("region", { name: "Events" })
      .first()
      .getByRole("link", { name: "turn.completed" })
      .waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("region", { name: "Addresses" }).first().getByRole("link").click();
    await press("button", "Switch off");
    await page.getByRole("button", { name: "Switch on" }).waitFor();
    await press("button", "Remove");
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).press("Enter");
    await page.getByText("Nobody is told of anything yet").waitFor();
    expect(browser.faults).toEqual([]);
    const audit = await (
      await (await operatorAt((await stage.run(["dashboard", "--print-only"])).stdout.trim())).get("/audit")
    ).text();
    for (const action of ["added", "tested", "switched", "removed"])
      expect(audit).toContain(`webhook-address.${action}`);
    expect(audit).not.toContain("whsec_");
  },
);
