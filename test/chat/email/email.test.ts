import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY, type ToolAnswer } from "../../../src/core/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { times } from "../../kit/counts.ts";
import { callTool, say, scriptedModel, scriptedModelWith } from "../../kit/scripted-model.ts";
import { smallPng } from "../../kit/small-png.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { type ChatProcess, type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { hasAnswer, historyFaults } from "../kit/check-history.ts";
import { answerTo, echoModel } from "../kit/echo-model.ts";
import { quick } from "../kit/fake-platform.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { AUTHSERV, FakeEmail, OWN_ADDRESS, proofOf } from "./fake-email.ts";

const [email] = CHAT_PLATFORMS.filter(({ name }) => name === "email");
if (email === undefined) throw new Error("There is no e-mail.");
const platform = quick(email);

type Options = Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">;

/** Starts a connector that reads the mailbox when this resolves. */
async function start(fake: FakeEmail, options: Options): Promise<ChatProcess> {
  const chat = await startChat({ platform, account: fake.account, ...options });
  await fake.listened();
  return chat;
}

const policy = {
  ...DEFAULT_POLICY,
  toolsets: { chat: ["test"] },
  chatApprovers: ["email:ann@example.com"],
};

test("a mail is answered in its thread, and marked as read after that it was accepted", async () => {
  await using fake = await FakeEmail.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen **${messages.filter(({ role }) => role === "user").length}**`)],
  });
  await using chat = await start(fake, { models });
  const id = fake.send({ subject: "A question", text: "What is new?\n\n-- \nAnn\nHead of all" });
  const place = `ann@example.com/${id}`;
  await fake.history.until(() => fake.history.said(place).includes("seen **1**"));
  expect(fake.sent[0]).toMatchObject({
    subject: "Re: A question",
    from: { address: OWN_ADDRESS },
    inReplyTo: id,
    messageId: expect.stringMatching(/^<agent\.[0-9a-f]{24}@example\.org>$/),
  });
  expect(fake.sent[0]?.headers).toContainEqual(
    expect.objectContaining({ key: "auto-submitted", value: "auto-replied" }),
  );
  expect(models.seen[0]).toEqual(["A question\n\nWhat is new?"]);
  const quote =
    "And more?\n\nOn Mon, 1 Jan 2026 at 10:00, The agent <agent@example.org>\nwrote:\n\n> seen **1**";
  fake.send({ subject: "Re: A question", text: quote, answers: id });
  await fake.history.until(() => fake.history.said(place).includes("seen **2**"));
  expect(models.seen[1]?.at(-1)).toBe("And more?");
  fake.send({ text: "another thread" });
  await fake.history.until(() => fake.sent.length === 3 && fake.unconfirmed === 0);
  expect(fake.history.messages.at(-1)?.text).toBe("seen **1**");
  expect(chat.reported).toEqual([]);
});

test("who a mail only says to be from is not answered, whatever stands in it, and it stays unread", async () => {
  await using fake = await FakeEmail.start();
  await using chat = await start(fake, { models: echoModel() });
  const header = (text: string): string => `Authentication-Results: ${text}`;
  const forged = [
    "X-Nothing: at all",
    header(`${AUTHSERV}; none`),
    header(`${AUTHSERV}; dmarc=fail header.from=example.com; spf=pass smtp.mailfrom=example.com`),
    header(`mx.evil.test; dmarc=pass header.from=example.com`),
    header(`${AUTHSERV}.evil.test; dmarc=pass header.from=example.com`),
    header(`${AUTHSERV}; dkim=pass header.d=evil.test; spf=pass smtp.mailfrom=evil.test`),
    header(`${AUTHSERV}; dkim=pass header.d=com`),
    header(`${AUTHSERV}; dkim=fail (dkim=pass header.d=example.com) header.d=example.com`),
    header(`${AUTHSERV}; dkim=fail header.d="example.com; spf=pass smtp.mailfrom=example.com"`),
    // The server's own stands above what the sender wrote.
    `${header(`${AUTHSERV}; dmarc=fail header.from=example.com`)}\r\n${proofOf("ann@example.com")}`,
    `${proofOf("ann@example.com")}\r\nFrom: Eve <eve@evil.test>`,
  ];
  for (let round = 0; round < times(100); round += 1)
    for (const proof of forged) fake.send({ text: "let me in", proof });
  const proved = [
    proofOf("ann@example.com"),
    header(`${AUTHSERV} 1; spf=pass smtp.mailfrom=ann@example.com`),
    header(`${AUTHSERV.toUpperCase()}; spf=fail smtp.mailfrom=x.org; dkim=pass (good) header.i=@example.com`),
  ];
  const ids = proved.map((proof, index) => fake.send({ text: `genuine${index}`, proof }));
  for (const [index, id] of ids.entries())
    await fake.history.until(() =>
      fake.history.said(`ann@example.com/${id}`).some((text) => text.includes(answerTo(`genuine${index}`))),
    );
  await fake.history.until(() => fake.imap.mails.filter(({ isSeen }) => isSeen).length === proved.length);
  expect(fake.sent).toHaveLength(proved.length);
  expect(await chat.inbox.list({ limit: 10 })).toHaveLength(proved.length);
  expect(chat.reported).toEqual([]);
});

test("programs, lists and the agent itself are never answered", async () => {
  await using fake = await FakeEmail.start();
  await using chat = await start(fake, { models: echoModel() });
  const automatic = [
    "Auto-Submitted: auto-replied",
    "Precedence: bulk",
    "List-Id: <all.example.com>",
    "X-Auto-Response-Suppress: OOF, AutoReply",
    "Return-Path: <>",
    "List-Unsubscribe: <https://example.com/u>",
  ];
  for (const more of automatic) fake.send({ text: "I am away", more });
  fake.send({ from: "mailer-daemon@example.com", text: "I am away" });
  fake.send({ from: "noreply@example.com", text: "Do not answer" });
  fake.send({ from: OWN_ADDRESS, text: "to myself" });
  fake.send({ id: "<agent.0123456789abcdef01234567@example.org>", text: "your own" });
  const id = fake.send({ text: "by hand", more: "Auto-Submitted: no" });
  await fake.history.until(() => fake.history.said(`ann@example.com/${id}`).length === 1);
  expect(fake.sent).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("more mails of one sender within an hour than anybody writes are not read", async () => {
  await using fake = await FakeEmail.start();
  const extra = { ...fake.account.extra, most_per_hour: 3 };
  await using chat = await start(fake, { models: echoModel(), account: { ...fake.account, extra } });
  for (let index = 0; index < 10; index += 1) fake.send({ text: `loop${index}` });
  const id = fake.send({ from: "bo@example.com", text: "hello" });
  await fake.history.until(() => fake.history.said(`bo@example.com/${id}`).length === 1);
  await fake.history.until(() => fake.sent.length === 4);
  expect((await chat.inbox.list({ limit: 20 })).length).toBe(4);
  expect(chat.reported).toEqual([]);
});

test("a question is answered by a number, an approval by approvers only", async () => {
  await using fake = await FakeEmail.start();
  const heard: ToolAnswer[] = [];
  const asks = askingTool(
    {
      kind: "grant",
      command: "rm -r build",
      description: "removes",
      patterns: [],
      reasons: [],
      allowPermanent: false,
    },
    heard,
  );
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("Hello Bo.")], [say("Done.")]),
    host: { toolsets: toolsOf(asks), policy },
  });
  const id = fake.send({ text: "clean up" });
  const place = `ann@example.com/${id}`;
  await fake.history.until(() =>
    fake.history.said(place).some((text) => text.includes("Answer with a number.")),
  );
  // Somebody else writes into the thread: that is another conversation.
  fake.send({ from: "bo@example.com", text: "1", answers: id });
  fake.send({ text: "1", answers: id, proof: "X-Proof: none" });
  await fake.history.until(() => fake.history.said(`bo@example.com/${id}`).length > 0);
  expect(heard).toEqual([]);
  fake.send({ text: "1\n\n> May I do this?", answers: id });
  await fake.history.until(() => fake.history.said(place).includes("Done."));
  expect(heard).toMatchObject([{ outcome: "answered" }]);
  expect(chat.reported).toEqual([]);
});

test("pictures reach the model, from HTML mails too, and files go out", async () => {
  await using fake = await FakeEmail.start();
  const seen: unknown[] = [];
  const models = scriptedModelWith({
    otherwise: ({ messages }) => {
      seen.push(messages.at(-1));
      return [say("I see.")];
    },
  });
  await using chat = await start(fake, { models });
  const html =
    "<html><style>p{}</style><p>Look &amp; <b>tell</b></p><script>x<y</script><blockquote>old</blockquote></html>";
  const text = [
    "--b",
    "Content-Type: text/html; charset=utf-8",
    "",
    html,
    "--b",
    "Content-Type: image/png; name=a.png",
    "Content-Disposition: attachment; filename=a.png",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(smallPng()).toString("base64"),
    "--b--",
  ].join("\r\n");
  const id = fake.send({ text, more: "Content-Type: multipart/mixed; boundary=b" });
  await fake.history.until(() => fake.history.said(`ann@example.com/${id}`).includes("I see."));
  expect(JSON.stringify(seen)).toContain("Look & tell");
  expect(JSON.stringify(seen)).toContain("image/png");
  expect(JSON.stringify(seen)).not.toMatch(/old|x<y/);
  const channel = await email.open({ ...fake.account, mode: "connection" }, portsTo("http://127.0.0.1:1"));
  const place = { kind: "direct", chatId: "bo@example.com" } as const;
  const file = { name: "a.csv", mediaType: "text/csv", bytes: Buffer.from("1,2") };
  await channel.send(
    { place, text: "Here.", source: "Here.", once: "f1", subject: "Report", file },
    new AbortController().signal,
  );
  expect(fake.history.messages.at(-1)).toMatchObject({ place: "bo@example.com", files: ["a.csv"] });
  expect(fake.sent.at(-1)?.subject).toBe("Report");
  expect(chat.reported).toEqual([]);
});

test("a mail that comes back is a failure of its answer, and its operator is told", async () => {
  await using fake = await FakeEmail.start();
  await using chat = await start(fake, { models: echoModel() });
  const id = fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said(`ann@example.com/${id}`).length === 1);
  const text = [
    "--b",
    "Content-Type: text/plain",
    "",
    "It could not be delivered.",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.example.com",
    "",
    "Final-Recipient: rfc822; ann@example.com",
    "Action: failed",
    "Status: 5.1.1",
    "--b",
    "Content-Type: text/rfc822-headers",
    "",
    `Message-ID: ${fake.sent[0]?.messageId ?? ""}`,
    "--b--",
  ].join("\r\n");
  fake.send({
    from: "mailer-daemon@example.com",
    text,
    more: "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
  });
  await expect
    .poll(() => chat.reported.map(({ message }) => message))
    .toEqual(["email: A message to ann@example.com did not arrive: the mail came back"]);
  await expect.poll(async () => (await chat.inbox.list({ limit: 1 }))[0]?.status).toBe("failed");
});

test("a connection that is cut is made again, and mails that came meanwhile, or were numbered anew, are read once", async () => {
  await using fake = await FakeEmail.start();
  await using chat = await start(fake, { models: echoModel() });
  for (const [round, breakIt] of [() => fake.imap.cut(), () => fake.imap.renumber()].entries()) {
    breakIt();
    const text = `after${round}`;
    const id = fake.send({ text });
    await fake.history.until(() =>
      fake.history.said(`ann@example.com/${id}`).some((each) => each.includes(answerTo(text))),
    );
    await fake.history.until(() => fake.unconfirmed === 0);
  }
  expect(fake.sent).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("what lay in the mailbox before the first start is left alone", async () => {
  await using fake = await FakeEmail.start();
  fake.send({ text: "old" });
  await fake.history.until(() => fake.imap.mails.length === 1 || fake.unconfirmed === 1);
  await new Promise((resolve) => setImmediate(resolve));
  await using chat = await start(fake, { models: echoModel() });
  const id = fake.send({ text: "new" });
  await fake.history.until(() => fake.history.said(`ann@example.com/${id}`).length === 1);
  expect(fake.sent).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("where the server keeps what is sent, it is asked for a mail of unknown fate", async () => {
  await using fake = await FakeEmail.start();
  const account = { ...fake.account, mode: "connection" as const };
  const extra = { ...account.extra, sent_mailbox: "Sent" };
  const channel = await email.open({ ...account, extra }, portsTo("http://127.0.0.1:1"));
  expect(channel.capabilities).toEqual({ resend: "ask" });
  fake.imap.others.set("Sent", ["<agent.there@example.org>"]);
  const place = { kind: "direct", chatId: "bo@example.com" } as const;
  const { signal } = new AbortController();
  const find = (once: string) => channel.find?.({ place, text: "", source: "", once }, signal);
  expect(await find("there")).toBe("<agent.there@example.org>");
  expect(await find("lost")).toBeUndefined();
});

test.each([
  ["* BYE too many", /refuses the greeting|ends the connection/],
  ["HTTP/1.1 400 Bad Request", /refuses the greeting/],
  [`* OK ${"x".repeat(70_000)}`, /a line is too long/],
  ["* OK {999999999}", /too large/],
])("a server that greets with %.30s is no mailbox, and that is said", async (greeting, why) => {
  await using fake = await FakeEmail.start();
  fake.imap.greeting = greeting;
  const channel = await email.open({ ...fake.account, mode: "connection" }, portsTo("http://127.0.0.1:1"));
  await expect(channel.connect([], new AbortController().signal)).rejects.toThrow(why);
});

test("a wrong password is said, by LOGIN too", async () => {
  await using fake = await FakeEmail.start();
  const channel = async (capabilities: string, password: string) => {
    fake.imap.capabilities = capabilities;
    const { extra, from, baseUrl } = fake.account;
    const imap = { ...extra, imap_user: "agent" };
    const account = { baseUrl, from, extra: imap, secrets: { token: password }, mode: "connection" as const };
    return await email.open(account, portsTo("http://127.0.0.1:1"));
  };
  const { signal } = new AbortController();
  for (const capabilities of ["IMAP4rev1 AUTH=PLAIN", "IMAP4rev1"]) {
    const wrong = (await channel(capabilities, "wrong")).connect([], signal);
    await expect(wrong).rejects.toMatchObject({ code: "unauthorized" });
    expect((await (await channel(capabilities, "secret")).connect([], signal)).name).toBe(OWN_ADDRESS);
  }
});

test("messages through a server with every fault are each answered once, or say so", async () => {
  const share = 0.1;
  await using fake = await FakeEmail.start({
    faults: { drop: share, lose: share, garble: share, limit: share, duplicate: share, reorder: share },
  });
  await using chat = await start(fake, { models: echoModel() });
  const sent = Array.from({ length: times(200) }, (_, index) => {
    const text = `w${index}`;
    return { place: fake.say(1 + (index % 10), text), answer: answerTo(text) };
  });
  await fake.history.until(() =>
    sent.every(({ place, answer }) => fake.history.said(place).some((text) => hasAnswer(text, answer))),
  );
  expect(historyFaults(fake.history, sent)).toEqual([]);
  expect(chat.reported).toEqual([]);
});

provePlatform({ platform: email, start: (options) => FakeEmail.start(options) });
