import { expect, test } from "vitest";
import { providerFetch } from "../../src/app/dashboard/provider-fetch.ts";
import { CommandStage } from "../kit/command.ts";
import { noBrowser, openTestBrowser } from "./browser.ts";
import { FakeProvider } from "./fake-provider.ts";
import { dashboardStage, type DashboardStage } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

/** A dashboard whose operators sign in at a provider. */
const stageWith = (provider: FakeProvider, settings = {}): Promise<DashboardStage> =>
  dashboardStage({
    openId: {
      settings: { ...provider.settings, ...settings },
      fetch: providerFetch(provider.issuer, {}),
    },
  });

/** A browser without a page: it goes where it is sent, and keeps its cookies. */
function walker({ url }: Pick<DashboardStage, "url">) {
  const cookies = new Map<string, string>();
  const go = async (address: string): Promise<Response> => {
    const isOurs = address.startsWith(url);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, { redirect: "manual", headers: isOurs ? { cookie } : {} });
    for (const each of isOurs ? response.headers.getSetCookie() : []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const sentTo = async (address: string): Promise<string> =>
    (await go(address)).headers.get("location") ?? "";
  return {
    cookies,
    /** To the provider and back, without the last step. */
    async callback(): Promise<string> {
      return await sentTo(await sentTo(`${url}/dashboard/api/openid`));
    },
    /** Where the page leads that an address answers with. */
    async arrive(address: string): Promise<string> {
      return /url=([^"]+)"/.exec(await (await go(address)).text())?.[1] ?? "";
    },
    async ask(path: string): Promise<unknown> {
      return await (await go(`${url}/dashboard/api${path}`)).json();
    },
  };
}

test("who has the claim is signed in under their own name, in this browser, once", async () => {
  await using provider = await FakeProvider.start();
  await using stage = await stageWith(provider);
  const browser = walker(stage);
  expect(await browser.ask("/sign-in")).toEqual({
    asks: "address",
    has_account: false,
    provider: new URL(provider.issuer).host,
  });
  const callback = await browser.callback();
  expect(await browser.arrive(callback)).toBe("/");
  expect([...browser.cookies.keys()]).toEqual(["agent"]);
  expect(await browser.ask("/sign-in")).toMatchObject({ operator: "ada@example.test", way: "openid" });
  expect(await browser.ask("/audit")).toMatchObject({
    data: [{ who: "ada@example.test", action: "sign-in", after: { way: "openid" } }],
  });
  // Seen by somebody else, the address lets nobody in.
  const other = walker(stage);
  expect(await other.arrive(callback)).toBe("/#provider=refused");
  other.cookies.set("agent-openid", new URL(callback).searchParams.get("state") ?? "");
  expect(await other.arrive(callback)).toBe("/#provider=refused");
});

test.each<[string, (provider: FakeProvider) => void, RegExp]>([
  ["has no such claim", (it) => (it.claims = { sub: "u2" }), /u2 is no operator: the claim groups/],
  [
    "has another value",
    (it) => (it.claims = { ...it.claims, groups: ["staffs", "guests"] }),
    /is no operator/,
  ],
  ["is denied", (it) => (it.denies = true), /access_denied: Not today/],
  ["brings another nonce", (it) => (it.faults = { nonce: "another" }), /nonce/],
  ["brings a token for somebody else", (it) => (it.faults = { aud: "another" }), /"aud"/],
  ["brings a token of somebody else", (it) => (it.faults = { iss: "https://evil.test" }), /"iss"/],
  ["brings a token that has ended", (it) => (it.faults = { lastsS: -120 }), /exp/],
  ["brings a token that is forged", (it) => (it.faults = { forged: true }), /signature/],
])("who %s is not signed in, and the audit log says why", async (_name, change, why) => {
  await using provider = await FakeProvider.start();
  await using stage = await stageWith(provider);
  change(provider);
  const browser = walker(stage);
  expect(await browser.arrive(await browser.callback())).toBe("/#provider=refused");
  expect(await browser.ask("/sign-in")).not.toHaveProperty("operator");
  const operator = stage.visitor();
  await operator.post("/sign-in/address", { code: await stage.dashboard.entryCodes.make() });
  const { data } = (await (await operator.get("/audit")).json()) as { readonly data: readonly unknown[] };
  expect(data[1]).toMatchObject({
    who: "somebody",
    action: "sign-in.refused",
    after: { way: "openid", why: expect.stringMatching(why) },
  });
});

test("a claim may be inside another one, or be told on request only", async () => {
  await using provider = await FakeProvider.start();
  provider.claims = { sub: "u3", preferred_username: "grace", realm_access: { roles: ["operators"] } };
  await using nested = await stageWith(provider, { claim: "realm_access.roles", value: "operators" });
  const first = walker(nested);
  expect(await first.arrive(await first.callback())).toBe("/");
  expect(await first.ask("/sign-in")).toMatchObject({ operator: "grace" });
  provider.userinfo = { groups: "staff", email: "grace@example.test" };
  await using asked = await stageWith(provider);
  const second = walker(asked);
  expect(await second.arrive(await second.callback())).toBe("/");
  expect(await second.ask("/sign-in")).toMatchObject({ operator: "grace@example.test" });
});

test("five who are refused lock their address; a provider that is away is said to be", async () => {
  const provider = await FakeProvider.start();
  await using stage = await stageWith(provider);
  provider.denies = true;
  const browser = walker(stage);
  const arrivals: string[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1)
    arrivals.push(await browser.arrive(await browser.callback()));
  expect(arrivals).toEqual([...Array<string>(5).fill("/#provider=refused"), "/#provider=too_many_tries"]);
  await using later = await stageWith(provider);
  await provider[Symbol.asyncDispose]();
  expect(await walker(later).arrive(`${later.url}/dashboard/api/openid`)).toBe("/#provider=unreachable");
});

test.skipIf(noBrowser)("a real browser goes to the provider and comes back signed in", async () => {
  await using provider = await FakeProvider.start();
  await using stage = new CommandStage();
  const { issuer, clientId, clientSecret, claim, value } = provider.settings;
  const openid = { issuer, client_id: clientId, claim, value };
  stage.configure(JSON.stringify({ platforms: { dashboard: { extra: { openid } } } }));
  stage.env["DASHBOARD_OPENID_SECRET"] = clientSecret;
  const address = new URL("/", await startDashboard(stage)).href;
  await using browser = await openTestBrowser();
  const page = await browser.open(`${address}#provider=refused`);
  await page.getByText("You were not let in").waitFor();
  await page.getByRole("link", { name: `Sign in with ${new URL(issuer).host}` }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.getByRole("link", { name: "System" }).click();
  await page.getByText("ada@example.test").first().waitFor();
  // There, and nowhere else.
  expect(browser.faults).toEqual([`left for ${issuer}`]);
});
