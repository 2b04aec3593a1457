import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import type { HostOptions } from "../../src/core/index.ts";
import { openDashboard } from "../../src/dashboard/index.ts";
import { type MemberApp, openMemberApp } from "../../src/member-app/index.ts";
import { memoryScopeOfUser, Roster } from "../../src/people/roster/index.ts";
import { postEvent } from "../../src/app/background/post-event.ts";
import { homeFolder } from "../../src/app/config/home-texts.ts";
import { pushKeys } from "../../src/app/people/push-keys.ts";
import { destinations, guardedFetcher } from "../../src/providers/fetch/index.ts";
import { systemClock } from "../../src/shared/async/clock.ts";
import { environmentProxies } from "../../src/shared/net/proxies.ts";
import { type HomeStore, type MemoryHome, memoryHome } from "../../src/providers/store/index.ts";
import { type HandClock, handClock } from "../kit/clock.ts";
import { random } from "../kit/counts.ts";
import { type ScriptedModel, scriptedModel } from "../kit/scripted-model.ts";
import { hostWith, type TestHost } from "../kit/test-host.ts";

/** A phone as far as the server sees one: it keeps a cookie, and says that its own page asks. */
export interface Phone {
  cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  patch(path: string, body: unknown): Promise<Response>;
  remove(path: string): Promise<Response>;
  /** The conversation of a prompt that is sent. */
  say(text: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** A text that a phone got. */
interface SentText {
  readonly mobile: string;
  readonly code: string;
}

/** The app on a real server, with a clock that the test moves. */
export interface AppStage extends AsyncDisposable {
  readonly url: string;
  /** The folder of its secrets. */
  readonly home: string;
  readonly clock: HandClock;
  readonly memory: MemoryHome;
  readonly host: TestHost;
  readonly app: MemberApp;
  readonly model: ScriptedModel;
  readonly roster: Roster;
  readonly texts: readonly SentText[];
  phone(headers?: Readonly<Record<string, string>>): Phone;
  /** A phone of somebody new on the roster, signed in. */
  member(name: string, mobile: string): Promise<Phone & { readonly id: string }>;
}

/** Hosts to which pushes may go although they are private. */
const PUSH_SERVICES = ["127.0.0.1"];

/** Signs a browser in as the phone is. */
export async function signInAs(
  phone: Pick<Phone, "cookie">,
  context: BrowserContext,
  url: string,
): Promise<void> {
  const [name = "", value = ""] = phone.cookie.split("=");
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Strict" }]);
}

/** The pages as they were built. */
export const BUILT_PAGES = join(import.meta.dirname, "../../dist/web");

interface StageOptions extends Pick<HostOptions, "toolsets"> {
  /** The folder of the pages; an empty one by default. */
  readonly pages?: string;
  /** A host on the same home. */
  readonly beside?: AppStage;
  /** In the place of one in memory; who opened it closes it. */
  readonly store?: HomeStore;
}

let machines = 0;

export async function appStage(stageOptions: StageOptions = {}): Promise<AppStage> {
  const { pages: given, beside, store: other, ...options } = stageOptions;
  const { clock, memory } = beside ?? { clock: handClock(), memory: memoryHome() };
  machines += 1;
  const place = { bootId: `b${machines}`, pidNamespace: `n${machines}`, machineId: `m${machines}` };
  const identity = { pid: 1, startedAt: "1", ...place };
  const store = other ?? memory.open({ clock, random: random(1), identity });
  const model = scriptedModel();
  const host = await hostWith(model, { clock, store, ...options });
  const pages = mkdtempSync(join(tmpdir(), "agent-pages-"));
  const texts: SentText[] = [];
  const roster = new Roster(store.records, host.services);
  const app = openMemberApp({
    records: store.records,
    services: host.services,
    of: (user) => host.of(user),
    members: {
      byId: (id) => roster.find(id),
      byMobile: (mobile) => roster.byMobile(mobile),
      isEmpty: () => roster.isEmpty(),
    },
    sendCode: (mobile, text) => Promise.resolve(void texts.push({ mobile, code: text.slice(0, 6) })),
    signedIn: () => Promise.resolve(),
    report: () => undefined,
    scopeOf: (id) => Promise.resolve(memoryScopeOfUser({ id }, false)),
    push: {
      keys: pushKeys(homeFolder(pages)),
      post: postEvent(
        guardedFetcher({ clock: systemClock, allow: PUSH_SERVICES, proxies: environmentProxies({}) }),
      ),
      checkUrl: async (address) =>
        void (await destinations({ allow: PUSH_SERVICES, proxies: environmentProxies({}) })(address)),
    },
    cwd: "/",
  });
  const dashboard = await openDashboard({
    host,
    records: store.records,
    log: () => undefined,
    pages: given ?? pages,
    hostNames: [],
    routes: [],
    gateway: ({ socket }) => void socket.destroy(),
    guest: app,
  });
  const listening = await dashboard.listen({ host: "127.0.0.1", port: 0 });
  const { url } = listening;
  const phone: AppStage["phone"] = (headers = {}) => phoneAt(url, headers);
  return {
    url,
    home: pages,
    clock,
    memory,
    host,
    app,
    model,
    roster,
    texts,
    phone,
    async member(name, mobile) {
      const { id } = await roster.add({ name, mobile });
      const own = phone();
      await own.post("/sign-in", { mobile });
      await own.post("/sign-in/code", { mobile, code: texts.at(-1)?.code ?? "" });
      return Object.assign(own, { id });
    },
    async [Symbol.asyncDispose]() {
      dashboard.close();
      await app.close();
      await listening.close();
      await host.close();
      rmSync(pages, { recursive: true });
    },
  };
}

let prompts = 0;

/** A phone of its own at the address of a server. */
export function phoneAt(url: string, more: Readonly<Record<string, string>> = {}): Phone {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers({ "user-agent": "Test phone", ...more });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    headers.set("cookie", phone.cookie);
    const response = await fetch(`${url}/app/api${path}`, { ...init, headers });
    const [given] = response.headers.getSetCookie();
    if (given !== undefined) phone.cookie = given.split(";", 1)[0] ?? "";
    return response;
  };
  const own = { "content-type": "application/json", "sec-fetch-site": "same-origin", origin: url };
  const phone: Phone = {
    cookie: "",
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body = {}, headers = own) =>
      ask(path, { method: "POST", body: JSON.stringify(body), headers }),
    patch: (path, body) => ask(path, { method: "PATCH", body: JSON.stringify(body), headers: own }),
    remove: (path) => ask(path, { method: "DELETE", headers: own }),
    async say(text, fields = {}) {
      const answer = await phone.post("/prompts", {
        id: `prompt-of-test-${(prompts += 1)}`,
        text,
        ...fields,
      });
      const { conversation_id: id } = (await answer.json()) as { readonly conversation_id: string };
      return id;
    },
  };
  return phone;
}

/** A message of an event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads an event stream until a message of a name came, or to its end. */
export async function messagesUntil(response: Response, last: string): Promise<readonly StreamMessage[]> {
  const found: StreamMessage[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
      );
      text = text.slice(end + 2);
      const { event, id = "", data } = fields;
      if (event === undefined || data === undefined) continue;
      found.push({ event, id, data: JSON.parse(data) as StreamMessage["data"] });
      if (event === last) return found;
    }
  }
  return found;
}
