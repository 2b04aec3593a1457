import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type Duplex, PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { HostError } from "../../src/core/index.ts";
import { random, times } from "../kit/counts.ts";
import { codeOf, dashboardStage, type DashboardStage, type Visitor } from "./stage.ts";

const PASSWORD = "correct horse battery";
const MINUTE = 60_000;

interface Begun {
  readonly draft: string;
  readonly secret: string;
  readonly uri: string;
  readonly svg: string;
  readonly recovery_codes: readonly string[];
}

/** Lets somebody in by an address, who then gives the operator a password. */
async function withAccount(
  stage: DashboardStage,
): Promise<{ readonly visitor: Visitor; readonly begun: Begun }> {
  const visitor = stage.visitor();
  await visitor.post("/sign-in/address", { code: await stage.dashboard.entryCodes.make() });
  const begun = (await (await visitor.post("/account", { password: PASSWORD })).json()) as Begun;
  const done = await visitor.post("/activation/finish", {
    draft: begun.draft,
    code: codeOf(begun.secret, stage.clock),
  });
  expect(done.status).toBe(200);
  return { visitor, begun };
}

const errorOf = async (
  response: Response,
): Promise<{ code: string | null; message: string; param: string | null }> =>
  ((await response.json()) as { error: { code: string | null; message: string; param: string | null } })
    .error;

test("an address signs in once, and not after ten minutes", async () => {
  await using stage = await dashboardStage();
  const code = await stage.dashboard.entryCodes.make();
  const visitor = stage.visitor();
  expect((await visitor.get("/audit")).status).toBe(401);
  expect(await (await visitor.get("/sign-in")).json()).toEqual({ asks: "address", has_account: false });
  expect((await visitor.post("/sign-in/address", { code })).status).toBe(200);
  expect(await (await visitor.get("/sign-in")).json()).toMatchObject({
    operator: "operator",
    way: "address",
  });
  expect((await visitor.get("/audit")).status).toBe(200);
  const other = stage.visitor();
  expect((await errorOf(await other.post("/sign-in/address", { code }))).message).toMatch(/agent dashboard/);
  const late = await stage.dashboard.entryCodes.make();
  stage.clock.advance(10 * MINUTE + 1);
  expect((await other.post("/sign-in/address", { code: late })).status).toBe(401);
});

test("password and code sign in; each code counts once, a recovery code too", async () => {
  await using stage = await dashboardStage();
  const { begun } = await withAccount(stage);
  expect(begun.uri).toMatch(/^otpauth:\/\/totp\/Agent:operator\?/);
  expect(begun.svg).toMatch(/^<svg/);
  expect(begun.recovery_codes).toHaveLength(10);
  const visitor = stage.visitor();
  const signIn = (code: string, password = PASSWORD): Promise<Response> =>
    visitor.post("/sign-in", { password, code });
  // The code that ended the making of the account was used with it.
  expect((await signIn(codeOf(begun.secret, stage.clock))).status).toBe(401);
  stage.clock.advance(30_000);
  expect((await signIn(codeOf(begun.secret, stage.clock))).status).toBe(200);
  expect((await signIn(codeOf(begun.secret, stage.clock))).status).toBe(401);
  const [recovery = ""] = begun.recovery_codes;
  expect((await signIn(recovery.toLowerCase())).status).toBe(200);
  expect((await signIn(recovery)).status).toBe(401);
});

test("what was wrong is not told, and the fifth wrong try locks for one minute, then two", async () => {
  await using stage = await dashboardStage();
  const { begun } = await withAccount(stage);
  stage.clock.advance(MINUTE);
  const visitor = stage.visitor();
  const wrong = await visitor.post("/sign-in", {
    password: "another password",
    code: codeOf(begun.secret, stage.clock),
  });
  const alsoWrong = await visitor.post("/sign-in", { password: PASSWORD, code: "000000" });
  expect(await errorOf(wrong)).toEqual(await errorOf(alsoWrong));
  for (let attempt = 3; attempt <= 5; attempt += 1)
    await visitor.post("/sign-in", { password: "x", code: "1" });
  const right = (): Promise<Response> =>
    visitor.post("/sign-in", { password: PASSWORD, code: codeOf(begun.secret, stage.clock) });
  const locked = await right();
  expect([locked.status, locked.headers.get("retry-after")]).toEqual([429, "60"]);
  stage.clock.advance(MINUTE);
  await visitor.post("/sign-in", { password: "x", code: "1" });
  expect((await right()).headers.get("retry-after")).toBe("120");
  stage.clock.advance(2 * MINUTE);
  expect((await right()).status).toBe(200);
});

test("a lock is in the audit log once, however many try on, and refusals push no change out of it", async () => {
  await using stage = await dashboardStage();
  await withAccount(stage);
  const DAY = 24 * 60 * MINUTE;
  stage.clock.advance(700 * DAY);
  const actions = async (): Promise<readonly unknown[]> => {
    const records = await stage.records.list({ space: "dashboard.audit", limit: 99 });
    return records.map(({ value }) => (JSON.parse(value) as { action: unknown }).action);
  };
  const before = await actions();
  const guess = (): Promise<Response> => stage.visitor().post("/sign-in", { password: "x", code: "1" });
  for (let attempt = 0; attempt < 15; attempt += 1) await guess();
  stage.clock.advance(MINUTE);
  for (let attempt = 0; attempt < 5; attempt += 1) await guess();
  const refused = [...Array.from({ length: 5 }, () => "sign-in.refused"), "sign-in.locked"];
  expect(await actions()).toEqual([...before, ...refused, "sign-in.refused", "sign-in.locked"]);
  // As the log does when it is full.
  await stage.records.trim("dashboard.audit", before.length);
  expect(await actions()).toEqual(before);
});

test("guesses at once are no more than guesses one after the other", async () => {
  await using stage = await dashboardStage();
  await withAccount(stage);
  stage.clock.advance(MINUTE);
  const next = random(7);
  const guesses = Array.from({ length: times(1000) }, () => {
    const code = String(Math.floor(next() * 1_000_000)).padStart(6, "0");
    return stage.visitor().post("/sign-in", { password: PASSWORD, code });
  });
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 429).length).toBeLessThanOrEqual(5);
});

const OWN = { "sec-fetch-site": "same-origin" };
const JSON_TYPE = { "content-type": "application/json" };

test.each([
  { from: "nobody who is signed in", headers: { ...JSON_TYPE, ...OWN }, signedIn: false, status: 401 },
  { from: "another site", headers: { ...JSON_TYPE, "sec-fetch-site": "cross-site" }, status: 403 },
  { from: "a page of a neighbour", headers: { ...JSON_TYPE, "sec-fetch-site": "same-site" }, status: 403 },
  { from: "another origin", headers: { ...JSON_TYPE, origin: "https://evil.example" }, status: 403 },
  { from: "a form", headers: { "content-type": "application/x-www-form-urlencoded", ...OWN }, status: 415 },
  { from: "a page that sends plain text", headers: { "content-type": "text/plain", ...OWN }, status: 415 },
])("a request that writes from $from is refused", async ({ headers, signedIn = true, status }) => {
  await using stage = await dashboardStage();
  const { visitor } = await withAccount(stage);
  const sender = stage.visitor();
  if (signedIn) sender.cookie = visitor.cookie;
  expect((await sender.post("/sign-out", {}, headers)).status).toBe(status);
  expect((await visitor.get("/audit")).status).toBe(200);
});

test("a cookie is for its server alone, and over TLS for secure connections alone", async () => {
  await using stage = await dashboardStage();
  const given = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const response = await fetch(`${stage.url}/dashboard/api/sign-in/address`, {
      method: "POST",
      body: JSON.stringify({ code: await stage.dashboard.entryCodes.make() }),
      headers: { "content-type": "application/json", ...headers },
    });
    return response.headers.getSetCookie().join();
  };
  expect(await given({})).toMatch(/^agent=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
  expect(await given({ "x-forwarded-proto": "https" })).toMatch(/^__Host-agent=.*; Secure$/);
});

test("a page whose own name was made to point here is refused", async () => {
  await using stage = await dashboardStage();
  const statusAt = async (host: string): Promise<number | undefined> => {
    const request = get(`${stage.url}/dashboard/api/sign-in`, { headers: { host } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await statusAt("evil.example")).toBe(403);
  expect(await statusAt("box.test:8641")).toBe(200);
});

test("somebody who was not seen for twelve hours, or signed in a week ago, is signed out", async () => {
  await using stage = await dashboardStage();
  const { visitor } = await withAccount(stage);
  const HOUR = 60 * MINUTE;
  for (let hour = 0; hour < 7 * 24 - 6; hour += 6) {
    expect((await visitor.get("/audit")).status).toBe(200);
    stage.clock.advance(6 * HOUR);
  }
  stage.clock.advance(6 * HOUR);
  expect((await visitor.get("/audit")).status).toBe(401);
  const other = stage.visitor();
  await other.post("/sign-in/address", { code: await stage.dashboard.entryCodes.make() });
  stage.clock.advance(12 * HOUR + 1);
  expect((await other.get("/audit")).status).toBe(401);
});

test("many requests at once are answered, also where it cannot be noted that somebody was there", async () => {
  await using stage = await dashboardStage();
  const { visitor } = await withAccount(stage);
  const statuses = async (): Promise<readonly number[]> => {
    stage.clock.advance(2 * MINUTE);
    const asked = Array.from({ length: 60 }, () => visitor.get("/signed-in"));
    return [...new Set((await Promise.all(asked)).map(({ status }) => status))];
  };
  const writes = vi.spyOn(stage.records, "replace");
  expect(await statuses()).toEqual([200]);
  expect((await stage.records.list({ space: "dashboard.sessions", limit: 9 })).at(-1)?.version).toBe(2);
  writes.mockRejectedValue(new HostError("store_full", "The disk is full."));
  expect(await statuses()).toEqual([200]);
  writes.mockRestore();
});

test("who is signed in is listed and can be signed out, and everything is in the audit log", async () => {
  await using stage = await dashboardStage();
  const { visitor } = await withAccount(stage);
  const other = stage.visitor();
  await other.post("/sign-in/address", { code: await stage.dashboard.entryCodes.make() });
  await stage.visitor().post("/sign-in", { password: "x", code: "1" });
  const { data } = (await (await visitor.get("/signed-in")).json()) as {
    data: { id: string; current: boolean; browser: string }[];
  };
  expect(data.map(({ current }) => current)).toContain(true);
  expect(data[0]).toMatchObject({ browser: "Test browser", current: false, way: "address" });
  await visitor.remove(`/signed-in/${data[0]?.id ?? ""}`);
  expect((await other.get("/audit")).status).toBe(401);
  const audit = (await (await visitor.get("/audit?limit=3")).json()) as {
    data: { action: string; who: string; from: string }[];
    next?: number;
  };
  expect(audit.data.map(({ action }) => action)).toEqual(["sign-in.ended", "sign-in.refused", "sign-in"]);
  expect(JSON.stringify(audit)).not.toContain(PASSWORD);
  const older = (await (await visitor.get(`/audit?after=${audit.next}`)).json()) as {
    data: { action: string }[];
  };
  expect(older.data.map(({ action }) => action)).toEqual(["sign-in", "account.made", "sign-in"]);
});

test.each([
  ["short", /at least 10 characters/],
  ["aaaaaaaaaaaa", /repeats/],
  ["Password123", /tried first/],
  ["x".repeat(201), /longer/],
])("the password %s is refused in words", async (password, words) => {
  await using stage = await dashboardStage();
  const visitor = stage.visitor();
  await visitor.post("/sign-in/address", { code: await stage.dashboard.entryCodes.make() });
  const refused = await visitor.post("/account", { password });
  expect(refused.status).toBe(400);
  expect((await errorOf(refused)).message).toMatch(words);
});

test("a lost phone: whoever owns the home takes the account away, and everybody is signed out", async () => {
  await using stage = await dashboardStage();
  const { visitor } = await withAccount(stage);
  expect(await stage.reset()).toBe(true);
  expect((await visitor.get("/audit")).status).toBe(401);
  expect(await (await visitor.get("/sign-in")).json()).toEqual({ asks: "address", has_account: false });
});

test.each([
  {
    end: "that sign-in is ended",
    over: async (_stage: DashboardStage, { operator }: { readonly operator: Visitor }) => {
      const { data } = (await (await operator.get("/signed-in")).json()) as {
        data: { id: string; current: boolean }[];
      };
      for (const { id, current } of data) if (!current) await operator.remove(`/signed-in/${id}`);
    },
  },
  { end: "the operator's account is reset", over: (stage: DashboardStage) => stage.reset() },
])("a password that was begun in a sign-in can be ended there alone, and not once $end", async ({ over }) => {
  await using stage = await dashboardStage();
  const [operator, intruder] = [stage.visitor(), stage.visitor()];
  for (const each of [operator, intruder])
    await each.post("/sign-in/address", { code: await stage.dashboard.entryCodes.make() });
  const begun = (await (await intruder.post("/account", { password: PASSWORD })).json()) as Begun;
  const finish = async (visitor: Visitor): Promise<number> => {
    const body = { draft: begun.draft, code: codeOf(begun.secret, stage.clock) };
    return (await visitor.post("/activation/finish", body)).status;
  };
  expect(await finish(operator)).toBe(404);
  await over(stage, { operator });
  expect([await finish(intruder), await finish(stage.visitor())]).toEqual([404, 404]);
  expect(await (await stage.visitor().get("/sign-in")).json()).toMatchObject({ has_account: false });
});

test("an activation that was begun is over when the operator's account is reset", async () => {
  await using stage = await dashboardStage({ box: true });
  const visitor = stage.visitor();
  const begun = (await (await activate(visitor, { activation_code: stage.shown[0] ?? "" })).json()) as Begun;
  await stage.reset();
  const body = { draft: begun.draft, code: codeOf(begun.secret, stage.clock) };
  expect((await visitor.post("/activation/finish", body)).status).toBe(404);
});

const MOBILE = "+41 79 123 45 67";

/** Sends the first step of an activation. */
const activate = (visitor: Visitor, more: Readonly<Record<string, string>>): Promise<Response> =>
  visitor.post("/activation", { licence: "CLAW-1234-ABCD", password: PASSWORD, mobile: MOBILE, ...more });

test("a Box asks for its code, a licence, a password and a mobile number, and half of it leaves nothing", async () => {
  await using stage = await dashboardStage({ box: true });
  const visitor = stage.visitor();
  const [code = ""] = stage.shown;
  expect(code).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
  expect(await (await visitor.get("/sign-in")).json()).toEqual({ asks: "activate", has_account: false });
  const entry = await visitor.post("/sign-in/address", { code: await stage.dashboard.entryCodes.make() });
  expect(entry.status).toBe(409);
  const wrong = { activation_code: "ABCDEFGH", licence: "CLAW", password: "short", mobile: "079" };
  for (const [field, value] of Object.entries(wrong)) {
    const refused = await activate(visitor, { activation_code: code, [field]: value });
    expect([field, refused.status, (await errorOf(refused)).param]).toEqual(
      field === "activation_code" ? [field, 401, null] : [field, 400, field],
    );
  }
  const begun = (await (await activate(visitor, { activation_code: code })).json()) as Begun;
  expect(await (await visitor.get("/sign-in")).json()).toEqual({ asks: "activate", has_account: false });
  const done = await visitor.post("/activation/finish", {
    draft: begun.draft,
    code: codeOf(begun.secret, stage.clock),
  });
  expect(done.status).toBe(200);
  expect((await visitor.get("/audit")).status).toBe(200);
  expect(stage.shown.at(-1)).toBe("");
  expect((await activate(stage.visitor(), { activation_code: code })).status).toBe(409);
});

test("ten wrong activation codes make a new one", async () => {
  await using stage = await dashboardStage({ box: true });
  const visitor = stage.visitor();
  for (let attempt = 0; attempt < 10; attempt += 1) await activate(visitor, { activation_code: "22222222" });
  expect(stage.shown).toHaveLength(2);
  const [old = "", code = ""] = stage.shown;
  expect((await activate(visitor, { activation_code: old })).status).toBe(401);
  expect((await activate(visitor, { activation_code: code })).status).toBe(200);
});

test("of wrong activation codes at once one makes a new code, which is the one that is shown", async () => {
  await using stage = await dashboardStage({ box: true });
  for (let round = 1; round <= 3; round += 1) {
    const wrong = Array.from({ length: 14 }, () =>
      activate(stage.visitor(), { activation_code: "22222222" }),
    );
    expect(new Set((await Promise.all(wrong)).map(({ status }) => status))).toEqual(new Set([401]));
    const right = await activate(stage.visitor(), { activation_code: stage.shown.at(-1) ?? "" });
    expect([round, right.status]).toEqual([round, 200]);
  }
  // 42 wrong ones are four times ten.
  expect(stage.shown).toHaveLength(5);
});

test("a licence that is to be signed is taken with its signature alone", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  await using stage = await dashboardStage({ box: key });
  const [code = ""] = stage.shown;
  const text = "CLAW-1234-ABCD";
  const signed = `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
  const forged = `CLAW-1234-ABCE.${signed.split(".")[1] ?? ""}`;
  const outcomes = [text, forged, signed].map((licence) =>
    activate(stage.visitor(), { activation_code: code, licence }),
  );
  expect((await Promise.all(outcomes)).map(({ status }) => status)).toEqual([400, 400, 200]);
});

test("a draft is over after half an hour", async () => {
  await using stage = await dashboardStage({ box: true });
  const visitor = stage.visitor();
  const begun = (await (await activate(visitor, { activation_code: stage.shown[0] ?? "" })).json()) as Begun;
  stage.clock.advance(31 * MINUTE);
  const late = await visitor.post("/activation/finish", {
    draft: begun.draft,
    code: codeOf(begun.secret, stage.clock),
  });
  expect(late.status).toBe(404);
});

/** Asks for the WebSocket of the pages; gives the status, and the connection where it was let in. */
async function handshake(stage: DashboardStage, headers: Readonly<Record<string, string>>) {
  const request = get(`${stage.url}/dashboard/api/ws`, {
    headers: { connection: "Upgrade", upgrade: "websocket", ...headers },
  });
  return new Promise<{ readonly status: number | undefined; readonly socket?: Duplex }>((resolve, reject) => {
    request.on("upgrade", (response, socket) => resolve({ status: response.statusCode, socket }));
    request.on("response", (response) => resolve({ status: response.resume().statusCode }));
    request.on("error", reject);
  });
}

test("the pages' WebSocket is for own pages with a cookie, and ends with the sign-in", async () => {
  await using stage = await dashboardStage();
  const { visitor } = await withAccount(stage);
  const { url: origin } = stage;
  const { cookie } = visitor;
  expect(await handshake(stage, { origin })).toEqual({ status: 401 });
  expect(await handshake(stage, { cookie })).toEqual({ status: 403 });
  expect(await handshake(stage, { cookie, origin: "https://evil.example" })).toEqual({ status: 403 });
  const { status, socket } = await handshake(stage, { cookie, origin });
  expect(status).toBe(101);
  const gone = once(socket ?? new PassThrough(), "close");
  socket?.resume();
  // Sign-ins are looked at every 30 s; a store that is away then ends neither the process nor the looking.
  const looks = vi.spyOn(stage.records, "list");
  looks.mockRejectedValueOnce(new HostError("store_unavailable", "It is away."));
  for (const count of [1, 2]) {
    await expect.poll(() => stage.clock.pending().some((timer) => timer.in === 30_000)).toBe(true);
    stage.clock.advance(30_000);
    await expect.poll(() => looks.mock.calls.length).toBe(count);
  }
  looks.mockRestore();
  await visitor.post("/sign-out");
  await gone;
  expect(await handshake(stage, { cookie, origin })).toEqual({ status: 401 });
});
