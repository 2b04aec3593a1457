import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TOTP } from "otpauth";
import type { Records } from "../../src/core/index.ts";
import {
  type Dashboard,
  type DashboardOptions,
  openDashboard,
  resetOperator,
} from "../../src/dashboard/index.ts";
import { memoryStore } from "../../src/providers/store/index.ts";
import { type HandClock, handClock } from "../kit/clock.ts";
import { random } from "../kit/counts.ts";
import { hostWith } from "../kit/test-host.ts";
import { scriptedModel } from "../kit/scripted-model.ts";

/** A browser as far as the server sees one: it keeps a cookie, and says that its own page asks. */
export interface Visitor {
  /** The cookie that it was given, with its name. */
  cookie: string;
  get(path: string): Promise<Response>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  patch(path: string, body: unknown): Promise<Response>;
  remove(path: string, body?: unknown): Promise<Response>;
}

/** A real dashboard on 127.0.0.1, with a clock that the test moves. */
export interface DashboardStage extends AsyncDisposable {
  readonly url: string;
  readonly clock: HandClock;
  readonly records: Records;
  readonly dashboard: Dashboard;
  /** What a Box's screen shows, the newest code last. */
  readonly shown: readonly string[];
  visitor(headers?: Readonly<Record<string, string>>): Visitor;
  /** Takes the operator's account away, as the command does. */
  reset(): Promise<boolean>;
}

/** The options of a dashboard. */
interface StageOptions extends Pick<DashboardOptions, "openId"> {
  /** It is a Box, whose licences are signed with this key; `true` for one without a key. */
  readonly box?: string | true;
}

export async function dashboardStage({ box, ...options }: StageOptions = {}): Promise<DashboardStage> {
  const clock = handClock();
  const store = memoryStore({ clock, random: random(1) });
  const host = await hostWith(scriptedModel(), { clock, store });
  const pages = mkdtempSync(join(tmpdir(), "agent-pages-"));
  const shown: string[] = [];
  const screen = {
    show: (code: string) => Promise.resolve(void shown.push(code)),
    clear: () => Promise.resolve(void shown.push("")),
    ...(typeof box === "string" ? { licenceKey: box } : {}),
  };
  const dashboard = await openDashboard({
    host,
    records: store.records,
    log: () => undefined,
    pages,
    hostNames: ["box.test"],
    routes: [],
    gateway: ({ socket }) =>
      void socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
      ),
    ...options,
    ...(box === undefined ? {} : { activation: screen }),
  });
  const listening = await dashboard.listen({ host: "127.0.0.1", port: 0 });
  const { url } = listening;
  return {
    url,
    clock,
    records: store.records,
    dashboard,
    shown,
    visitor: (headers = {}) => visitorOf(url, headers),
    reset: () => resetOperator(store.records, host.services),
    async [Symbol.asyncDispose]() {
      dashboard.close();
      await listening.close();
      await host.close();
      rmSync(pages, { recursive: true });
    },
  };
}

/** Who is signed in with the address that `agent dashboard` printed. */
export async function operatorAt(address: string): Promise<Visitor> {
  const { origin, hash } = new URL(address);
  const visitor = visitorOf(origin, {});
  await visitor.post("/sign-in/address", { code: hash.slice("#code=".length) });
  return visitor;
}

function visitorOf(url: string, more: Readonly<Record<string, string>>): Visitor {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers({ "user-agent": "Test browser", ...more });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    headers.set("cookie", visitor.cookie);
    const response = await fetch(`${url}/dashboard/api${path}`, { ...init, headers });
    const [given] = response.headers.getSetCookie();
    if (given !== undefined) visitor.cookie = given.split(";", 1)[0] ?? "";
    return response;
  };
  const own = { "content-type": "application/json", "sec-fetch-site": "same-origin", origin: url };
  const visitor: Visitor = {
    cookie: "",
    get: (path) => ask(path, {}),
    post: (path, body = {}, headers = own) =>
      ask(path, { method: "POST", body: JSON.stringify(body), headers }),
    patch: (path, body) => ask(path, { method: "PATCH", body: JSON.stringify(body), headers: own }),
    remove: (path, body = {}) => ask(path, { method: "DELETE", body: JSON.stringify(body), headers: own }),
  };
  return visitor;
}

/** The code that an authenticator with this key shows. */
export const codeOf = (secret: string, clock: Pick<HandClock, "now">): string =>
  new TOTP({ secret }).generate({ timestamp: clock.now() });
