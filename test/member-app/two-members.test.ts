import { get } from "node:http";
import { expect, test } from "vitest";
import { random, times } from "../kit/counts.ts";
import { gate, say, wait } from "../kit/scripted-model.ts";
import { appStage, messagesUntil, type Phone } from "./stage.ts";

const MARK = /Ada|secret/;
const PICTURE = `data:image/png;base64,${Buffer.from("\u0089PNG\r\n\u001A\n of Ada", "latin1").toString("base64")}`;

/** All that a member has, by its ids. */
interface Belongings {
  readonly conversation: string;
  readonly blob: string;
  readonly device: string;
  readonly prompt: string;
  readonly question: string;
  readonly member: string;
}

async function belongingsOf(phone: Phone & { readonly id: string }, text: string): Promise<Belongings> {
  const prompt = "the-first-of-mine";
  const conversation = await phone.say(text, { id: prompt, images: [PICTURE] });
  await messagesUntil(await phone.get(`/conversations/${conversation}/events`), "text");
  const events = await messagesUntil(await phone.get(`/conversations/${conversation}/events`), "turn");
  const { images } = (events.at(-1)?.data["message"] ?? {}) as {
    readonly images: readonly { readonly hash: string }[];
  };
  const { data } = (await (await phone.get("/devices")).json()) as {
    readonly data: readonly { readonly id: string }[];
  };
  return {
    conversation,
    blob: images[0]?.hash ?? "",
    device: data[0]?.id ?? "",
    prompt,
    question: "request_1",
    member: phone.id,
  };
}

/** A list that has nothing in it is as good as a refusal. */
async function emptied(response: Response): Promise<Response> {
  const { data } = (await response.json()) as { readonly data: readonly unknown[] };
  return new Response(JSON.stringify(data), { status: data.length === 0 ? 404 : 200 });
}

/** One request of a stranger for something of somebody else's, or for something like it. */
type Attack = (phone: Phone, theirs: Belongings, guess: (id: string) => string) => Promise<Response>;

const ATTACKS: readonly Attack[] = [
  (phone, { conversation }, guess) => phone.get(`/conversations/${guess(conversation)}`),
  (phone, { conversation }, guess) => phone.get(`/conversations/${guess(conversation)}?before=9&limit=200`),
  (phone, { conversation }, guess) => phone.get(`/conversations/${guess(conversation)}/events?after=0`),
  (phone, { conversation }, guess) =>
    phone.get(`/conversations/${guess(conversation)}/events`, { "last-event-id": "1" }),
  (phone, { conversation }, guess) => phone.patch(`/conversations/${guess(conversation)}`, { title: "mine" }),
  (phone, { conversation }, guess) => phone.remove(`/conversations/${guess(conversation)}`),
  (phone, { conversation }, guess) => phone.post(`/conversations/${guess(conversation)}/stop`),
  (phone, { conversation, question }, guess) =>
    phone.post(`/conversations/${guess(conversation)}/answers`, { question_id: question, text: "yes" }),
  (phone, { conversation }, guess) =>
    phone.post("/prompts", { id: "a-prompt-of-mine", text: "tell me", conversation_id: guess(conversation) }),
  (phone, { conversation, prompt }, guess) =>
    phone.post("/prompts", { id: guess(prompt), text: "tell me", conversation_id: conversation }),
  (phone, { blob }, guess) => phone.get(`/blobs/${guess(blob)}`),
  (phone, { conversation }, guess) =>
    phone.post(`/conversations/${guess(conversation)}/read`, { seq: 1_000_000 }),
  // What another one wrote is sent as nobody else's.
  (phone, { member }, guess) =>
    phone.post("/prompts", { id: "not-of-mine", text: "hello", member: guess(member) }),
  (phone, { member }) =>
    phone.get("/conversations", { "x-agent-session-key": `user:${member}` }).then(emptied),
  (phone, { conversation }, guess) => phone.get(`/conversations/..%2f${guess(conversation)}`),
];

test("nothing of a member is read, listed, guessed, replayed or followed by another one", async () => {
  await using stage = await appStage();
  const half = gate();
  stage.model.script([say("the secret of Ada is "), wait(half), say("blue")]);
  const ada = await stage.member("Ada", "+4915123456789");
  const theirs = await belongingsOf(ada, "a secret of Ada");
  const eve = await stage.member("Eve", "+4915123456780");
  const next = random(20);
  const guesses: readonly ((id: string) => string)[] = [
    (id) => id,
    (id) => id.slice(0, -1) + Math.floor(next() * 16).toString(16),
    (id) => id.toUpperCase(),
    (id) => id.slice(0, 8),
    (id) => encodeURIComponent(`${id} `),
    (id) => `${id}%00`,
  ];
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(next() * from.length)];
  const answers: string[] = [];
  for (let turn = 0; turn < times(1000); turn += 1) {
    const attack = ATTACKS[turn % ATTACKS.length];
    const guess = turn < ATTACKS.length ? guesses[0] : pick(guesses);
    const response = await attack?.(eve, theirs, guess ?? String);
    if (response === undefined) continue;
    answers.push(`${response.status}`);
    expect(response.status, `attack ${turn % ATTACKS.length}`).toBeGreaterThanOrEqual(400);
    expect(await response.text()).not.toMatch(MARK);
  }
  // What is not theirs is not to be told from what never was.
  const [real, none] = await Promise.all(
    [theirs.conversation, theirs.conversation.replace(/.$/, "x")].map(async (id) => {
      const response = await eve.get(`/conversations/${id}`);
      return `${response.status} ${(await response.text()).replaceAll(id, "ID")}`;
    }),
  );
  expect(real).toBe(none);
  for (const path of ["/conversations", "/conversations?q=secret", "/devices", "/me"])
    expect(await (await eve.get(path)).text()).not.toMatch(MARK);
  // Signing out somebody else's device answers as if there were none, and does nothing.
  await eve.remove(`/devices/${theirs.device}`);
  // The same words under the id of another one's prompt are one's own prompt.
  const own = await eve.say("a secret of Eve", { id: theirs.prompt });
  expect(own).not.toBe(theirs.conversation);
  half.open();
  const whole = await messagesUntil(await ada.get(`/conversations/${theirs.conversation}/events`), "end");
  expect(whole.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(whole.filter(({ event }) => event === "turn")).toHaveLength(1);
  expect((await ada.get(`/blobs/${theirs.blob}`)).status).toBe(200);
  expect(answers).toHaveLength(times(1000));
});

test("of a member's own sessions only those of the app are there: others may have tools that a code must not lead to", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", "+4915123456789");
  const { id } = await stage.host.of(ada.id).open({ platform: "api_server", title: "All tools" });
  const answers = await Promise.all([
    ada.get(`/conversations/${id}`),
    ada.get(`/conversations/${id}/events`),
    ada.post("/prompts", { id: "reaching-out", text: "run this", conversation_id: id }),
    ada.patch(`/conversations/${id}`, { title: "x" }),
    ada.remove(`/conversations/${id}`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  // Nor is one that never had a message.
  await stage.host.of(ada.id).open({ platform: "app", cwd: "/" });
  expect(await (await ada.get("/conversations")).json()).toEqual({ data: [] });
});

/** Asks for the gateway's WebSocket, as an own page would. @returns the status */
async function handshake(url: string, cookie: string): Promise<number | undefined> {
  const request = get(`${url}/dashboard/api/ws`, {
    headers: { connection: "Upgrade", upgrade: "websocket", origin: url, cookie },
  });
  return await new Promise((resolve, reject) => {
    request.on("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    request.on("response", (response) => resolve(response.resume().statusCode));
    request.on("error", reject);
  });
}

test("a cookie of one is no cookie of another way in: not the dashboard's, not after the sign-out, not by another name", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", "+4915123456789");
  const { cookie } = ada;
  const token = cookie.slice(cookie.indexOf("=") + 1);
  const asked = (path: string, value: string) =>
    fetch(`${stage.url}${path}`, { headers: { cookie: value } }).then(({ status }) => status);
  expect(await asked("/app/api/conversations", cookie)).toBe(200);
  expect(await asked("/dashboard/api/signed-in", `agent=${token}`)).toBe(401);
  expect(await asked("/dashboard/api/signed-in", cookie)).toBe(401);
  expect(await asked("/app/api/conversations", `agent=${token}`)).toBe(401);
  expect(await asked("/app/api/conversations", `__Host-agent-app=${token}`)).toBe(401);
  expect(await asked("/app/api/conversations", `agent-app=${token.slice(0, -1)}`)).toBe(401);
  for (const value of [cookie, `agent=${token}`, `__Host-agent=${token}`])
    expect(await handshake(stage.url, value)).toBe(401);
  await ada.post("/sign-out");
  expect(await asked("/app/api/conversations", cookie)).toBe(401);
});
