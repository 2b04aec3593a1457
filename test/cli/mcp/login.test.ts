import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loginWeb } from "../../../src/app/mcp/server-context.ts";
import {
  type AuthorizationServer,
  guardWith,
  startAuthorizationServer,
} from "../../kit/authorization-server.ts";
import { CommandStage, OPEN, type RunningCommand } from "../../kit/command.ts";
import { type WebServer, webServer } from "../../providers/mcp/web-server.ts";

/** A server that wants a login, the service that gives it, and a home that knows the server as `docs`. */
class LoginStage implements AsyncDisposable {
  readonly stage = new CommandStage();
  readonly web: WebServer;
  readonly service: AuthorizationServer;

  constructor(web: WebServer, service: AuthorizationServer) {
    this.web = web;
    this.service = service;
    guardWith(web, service);
    this.configure();
  }

  static async open(): Promise<LoginStage> {
    return new LoginStage(await webServer(), await startAuthorizationServer());
  }

  get file(): string {
    return join(this.stage.home, "mcp_logins.json");
  }

  configure(more: object = {}): void {
    const docs = { url: `${this.web.origin}/mcp`, headers: { "X-Own": "own-header" }, ...more };
    this.stage.configure(JSON.stringify({ mcp_servers: { docs } }));
  }

  begin(): RunningCommand {
    return this.stage.begin(["mcp", "login", "docs", "--no-browser"], { stdin: OPEN });
  }

  /** Goes to the service as a browser would; gives the address to which it sends back. */
  async inBrowser(login: RunningCommand): Promise<string> {
    const asked = await fetch(await addressOf(login), { redirect: "manual" });
    return asked.headers.get("location") ?? "";
  }

  async login(): Promise<void> {
    const login = this.begin();
    await fetch(await this.inBrowser(login));
    const { code, stderr } = await login.end;
    if (code !== 0) throw new Error(stderr);
  }

  /** Lets the time of the kept token be over. */
  age(): void {
    const logins = JSON.parse(readFileSync(this.file, "utf8")) as Record<string, object>;
    this.stage.write("mcp_logins.json", JSON.stringify({ docs: { ...logins["docs"], expiresAt: 1 } }));
  }

  connect(): ReturnType<CommandStage["run"]> {
    return this.stage.ask(["mcp", "test", "docs"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
    await this.web[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}

/** The address that a login asks to be opened. */
function addressOf({ child }: RunningCommand): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    const [found] = /http:\/\/127\S+\/authorize\S+(?=\n)/.exec(said) ?? [];
    if (found !== undefined) resolve(found);
  });
  return promise;
}

describe("a login at a server", () => {
  test("in a browser is kept for its owner alone, and serves all processes", async () => {
    await using at = await LoginStage.open();
    const before = await at.connect();
    expect(before.code).toBe(1);
    expect(before.stdout).toContain("it wants a login (HTTP 401): log in: `agent mcp login docs`");
    const login = at.begin();
    const back = await at.inBrowser(login);
    expect(new URL(back).hostname).toBe("127.0.0.1");
    const page = await fetch(back);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("close this window")]);
    expect(await login.end).toMatchObject({ code: 0, stdout: expect.stringContaining("Logged in at docs.") });
    expect(statSync(at.file).mode & 0o777).toBe(0o600);
    expect((await at.connect()).stdout).toContain("docs  http  connected");
    expect((await at.stage.ask(["mcp", "list"])).stdout).toContain("(logged in)");
    // What the owner set for the server goes to the server alone.
    expect(at.service.requests.flatMap(({ headers }) => headers["x-own"] ?? [])).toEqual([]);
    expect((await at.stage.ask(["mcp", "logout", "docs"])).stdout).toContain("Logged out of docs");
    expect((await at.connect()).stdout).toContain("agent mcp login docs");
    expect((await at.stage.ask(["mcp", "logout", "docs"])).stderr).toContain("There is no login at docs");
  });

  test("is not ended by what others send back, and takes the pasted address of another machine's browser", async () => {
    await using at = await LoginStage.open();
    const login = at.begin();
    const back = new URL(await at.inBrowser(login));
    for (const [name, value] of [
      ["state", "wrong"],
      ["error", "access_denied"],
    ] as const) {
      const wrong = new URL(back);
      wrong.search = "";
      wrong.searchParams.set(name, value);
      expect((await fetch(wrong)).status).toBe(400);
      login.child.stdin.write(`${wrong.href}\n`);
    }
    expect((await fetch(new URL("/other", back))).status).toBe(404);
    login.child.stdin.write(`${back.href}\n`);
    const { code, stderr } = await login.end;
    expect(code).toBe(0);
    expect(stderr).toContain("That is not the address that this login comes back to");
    expect((await at.connect()).code).toBe(0);
  });

  test("that is refused changes nothing", async () => {
    await using at = await LoginStage.open();
    at.service.denies = true;
    const login = at.begin();
    await fetch(await at.inBrowser(login));
    const { code, stderr } = await login.end;
    expect(code).toBe(1);
    expect(stderr).toContain("was refused: access_denied, The person said no");
    expect((await at.stage.ask(["mcp", "list"])).stdout).not.toContain("logged in");
  });

  test("says what is missing where the service has no metadata, or registers nobody", async () => {
    await using at = await LoginStage.open();
    at.service.silent = true;
    const silent = await at.stage.ask(["mcp", "login", "docs"]);
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringMatching(/says nothing of\s+logins/)]);
    at.service.silent = false;
    at.service.registers = false;
    const closed = await at.stage.ask(["mcp", "login", "docs"]);
    expect(closed.stderr.replaceAll(/\s+/g, " ")).toContain("set mcp_servers.docs.oauth.client_id");
    at.configure({ oauth: { client_id: "by-hand" } });
    await at.login();
    expect(at.service.clients).toEqual(["by-hand"]);
    expect((await at.stage.ask(["mcp", "login", "nobody"])).stderr).toContain("over HTTP: docs");
  });
});

describe("a token", () => {
  test("that has ended is renewed once, however many processes find it so", async () => {
    await using at = await LoginStage.open();
    await at.login();
    at.service.expire();
    at.age();
    const ends = await Promise.all([at.connect(), at.connect(), at.connect()]);
    expect(ends.map(({ code, stdout }) => [code, stdout.split("\n")[0]])).toEqual(
      Array.from({ length: 3 }, () => [0, "docs  http  connected"]),
    );
    expect(at.service.renewals).toEqual({ done: 1, tried: 1 });
  });

  test("that the server takes no more is renewed within the request", async () => {
    await using at = await LoginStage.open();
    await at.login();
    at.service.expire();
    expect((await at.connect()).code).toBe(0);
    expect(at.service.renewals).toEqual({ done: 1, tried: 1 });
  });

  test("that was revoked is over: the server's row says how to log in again", async () => {
    await using at = await LoginStage.open();
    await at.login();
    at.service.revoke();
    const end = await at.connect();
    expect(end.code).toBe(1);
    expect(end.stdout).toContain("log in: `agent mcp login docs`");
    expect(end.stdout).not.toMatch(/access-|renew-/);
    expect(readFileSync(at.file, "utf8")).toBe("{}\n");
    await at.login();
    expect((await at.connect()).code).toBe(0);
  });

  test("goes to no other address than that of its login", async () => {
    await using at = await LoginStage.open();
    await at.login();
    await using other = await webServer();
    at.configure({ url: `${other.origin}/mcp` });
    await at.connect();
    expect(other.requests.length).toBeGreaterThan(0);
    expect(other.requests.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
  });
});

test("a server on the web leads to no private host, one of this machine to this machine alone", async () => {
  const options = { env: {}, privateHosts: [] };
  const refused = { code: "fetch_refused" };
  await using web = loginWeb({ url: "https://203.0.113.5/mcp" }, options);
  await expect(web.fetch("http://127.0.0.1:9/token")).rejects.toMatchObject(refused);
  await expect(web.fetch("http://169.254.169.254/latest")).rejects.toMatchObject(refused);
  await using own = loginWeb({ url: "http://127.0.0.1:7777/mcp" }, options);
  await expect(own.fetch("http://10.0.0.1/token")).rejects.toMatchObject(refused);
  await expect(own.fetch("http://127.0.0.1:9/token")).rejects.toMatchObject({ code: "fetch_failed" });
});
