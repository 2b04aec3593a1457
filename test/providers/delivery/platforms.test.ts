import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import {
  codeHostCommentSender,
  platformSender,
  PLATFORMS,
  sendMail,
  type PlatformTransport,
  smsSender,
} from "../../../src/providers/delivery/index.ts";
import { quietMentions } from "../../../src/providers/delivery/markdown/mentions.ts";
import { defined } from "../../../src/shared/json/defined.ts";
import { splitText } from "../../../src/providers/delivery/split-text.ts";
import { guardedFetcher } from "../../../src/providers/fetch/index.ts";
import { createServer as createTcpServer } from "node:net";
import fc from "fast-check";
import { handClock } from "../../kit/clock.ts";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

type Reply = readonly [status: number, body: unknown, headers?: Record<string, string>];

/** A server that speaks as a platform does, one reply after the other; the last one stays. */
async function service(...replies: readonly Reply[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void readAll(request).then((text) => {
      const json = (request.headers["content-type"] ?? "").startsWith("application/json");
      const { authorization } = request.headers;
      const body: unknown = json ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
      seen.push({ method: request.method ?? "", path: request.url ?? "", authorization, body });
      const [status, answer, headers = {}] = replies[Math.min(seen.length, replies.length) - 1] ?? [200, {}];
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(answer));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetcher = guardedFetcher({ clock: systemClock, allow: ["127.0.0.1"] });
  const send: PlatformTransport = (request) =>
    fetcher.fetch({ ...request, maxBytes: 100_000, timeoutMs: 60_000 });
  return {
    baseUrl,
    seen,
    send,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const { signal } = new AbortController();

function platform(name: string) {
  const found = PLATFORMS.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

/** A platform as they come and go. */
const example: (typeof PLATFORMS)[number] = {
  kind: "messenger_0",
  name: "example",
  limit: 2000,
  call: ({ text }) => ({ path: "/send", body: { content: text } }),
  refusal: ({ status }) => (status === 200 ? undefined : { message: `status ${status}` }),
};

const OK: Readonly<Record<string, Reply>> = {
  home_assistant: [200, {}],
  dingtalk: [200, { errcode: 0, errmsg: "ok" }],
  feishu: [200, { code: 0, msg: "success" }],
  wecom: [200, { errcode: 0, errmsg: "ok" }],
  bluebubbles: [200, { status: 200, message: "Message sent!", data: { guid: "g" } }],
};

describe("a text reaches", () => {
  test.each([
    [
      "home_assistant",
      { path: "/api/services/notify/c", authorization: "Bearer T0K", body: { message: "Hi" } },
    ],
    [
      "dingtalk",
      { path: "/robot/send?access_token=T0K", body: { msgtype: "text", text: { content: "Hi" } } },
    ],
    ["feishu", { path: "/open-apis/bot/v2/hook/T0K", body: { msg_type: "text", content: { text: "Hi" } } }],
    ["wecom", { path: "/cgi-bin/webhook/send?key=T0K", body: { msgtype: "text", text: { content: "Hi" } } }],
    [
      "bluebubbles",
      {
        path: "/api/v1/message/text?password=T0K",
        body: {
          chatGuid: "iMessage;-;c",
          message: "Hi",
          method: "apple-script",
          tempGuid: expect.any(String),
        },
      },
    ],
  ])("%s in the shape of its API", async (name, call) => {
    await using other = await service(OK[name] ?? [200, {}]);
    const account = { baseUrl: other.baseUrl, token: "T0K", from: "+1555" };
    const sender = platformSender(platform(name), { account, send: other.send, clock: systemClock });
    const { oneChat, threads } = platform(name);
    const target = defined({
      chatId: oneChat === true ? undefined : "c",
      threadId: threads === true ? "7" : undefined,
    });
    await sender.send({ id: "d", target, text: "Hi" }, signal);
    expect(other.seen).toMatchObject([call]);
  });
});

describe.each(PLATFORMS.map((each) => [each.name, each] as const))("%s", (_name, each) => {
  const account = { baseUrl: "http://127.0.0.1:1", token: "T0K", from: "+1555", home: "home" };
  const send: PlatformTransport = () => Promise.reject(new Error("nothing may be sent"));
  const sender = platformSender(each, { account, send, clock: systemClock });
  const message = { chatId: "c", text: "t", source: "t", part: 1, once: "o" };
  const callTo = (more: object): string => JSON.stringify(each.call({ ...message, ...more }, account));

  test("uses the chat and the thread that it is said to take, and refuses the others", async () => {
    expect(callTo({ chatId: "c" }) !== callTo({ chatId: "other" })).toBe(each.oneChat !== true);
    expect(callTo({}) !== callTo({ threadId: "7" })).toBe(each.threads === true);
    if (each.oneChat === true)
      await expect(sender.send({ id: "d", target: { chatId: "c" }, text: "Hi" }, signal)).rejects.toThrow(
        "name no chat",
      );
    if (each.threads !== true)
      await expect(sender.send({ id: "d", target: { threadId: "7" }, text: "Hi" }, signal)).rejects.toThrow(
        "no threads",
      );
  });

  test.each([
    "@all",
    "@ALL look",
    "hey @here!",
    "**@everyone**",
    "(@channel)",
    "`@all`",
    "@room: see",
    "＠all",
    "&#64;all &#x40;everyone &commat;here",
    "@所有人请注意",
    "@全体成员",
    '<at user_id="all">Everyone</at>',
    '&lt;at user_id="all"&gt;Everyone&lt;/at&gt;',
    "<!channel> <!everyone|x> <!here> <!subteam^S1>",
    "<@everyone> <@!everyone> <@U123>",
    "[everybody](!channel) [you](@U123)",
    "<qqbot-at-everyone />",
    "- @all\n- @here",
    "| @all |\n|---|\n| @here |",
    "```\n@all\n<at user_id=all>\n```",
    "\\@all",
    `${"x ".repeat(5000)}@all`,
  ])("does not let a text call everybody: %j", async (text) => {
    const calls: string[] = [];
    const taken: PlatformTransport = ({ url, body }) => {
      if (!url.endsWith("/app/getAppAccessToken")) calls.push(body);
      const answer = { ok: true, errcode: 0, code: 0, access_token: "short", expires_in: "7200" };
      return Promise.resolve({ status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(answer)) });
    };
    await platformSender(each, { account, send: taken, clock: systemClock }).send(
      { id: "d", target: {}, text },
      signal,
    );
    expect(calls.length).toBeGreaterThan(0);
    for (const body of calls) {
      expect(body).not.toMatch(
        /(?:@|＠|&#64;|&#x40;|&commat;)(?:all|everyone|here|channel|room|所有人|全体成员)/i,
      );
      expect(body).not.toMatch(/<(?:at |@|!|qqbot-)/i);
    }
  });
});

test("addresses of mail, people's names, HTML and words that only begin so are left as they are", () => {
  const text =
    "all@here.org, a@all.example, @allison, @hereford, @room2, x <b> <atlas> @ann <!DOCTYPE html> <!-- x -->";
  expect(quietMentions(text)).toBe(text);
});

describe("a refusal of", () => {
  test.each<readonly [string, Reply, string, number | undefined]>([
    ["dingtalk", [200, { errcode: 130101, errmsg: "send too fast" }], "delivery_failed", 60_000],
    ["dingtalk", [200, { errcode: 310000, errmsg: "keywords not in content" }], "invalid_params", undefined],
    ["feishu", [200, { code: 19001, msg: "param invalid" }], "invalid_params", undefined],
    [
      "bluebubbles",
      [500, { status: 500, message: "Not sent", error: { message: "Messages is not open" } }],
      "delivery_failed",
      undefined,
    ],
    ["bluebubbles", [401, { status: 401, message: "You are not authorized" }], "invalid_params", undefined],
    ["wecom", [200, { errcode: 45009, errmsg: "api freq out of limit" }], "delivery_failed", 60_000],
  ])("%s %j is understood", async (...[name, reply, code, wait]) => {
    await using other = await service(reply);
    const account = { baseUrl: other.baseUrl, token: "T0K" };
    const sender = platformSender(platform(name), { account, send: other.send, clock: systemClock });
    const target = platform(name).oneChat === true ? {} : { chatId: "c" };
    const failed = await sender
      .send({ id: "d", target, text: "Hi" }, signal)
      .catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code, details: wait === undefined ? {} : { retryAfterMs: wait } });
    expect(String(failed)).not.toContain("T0K");
  });
});

describe("QQ", () => {
  const token: Reply = [200, { access_token: "short", expires_in: "7200" }];
  const sent: Reply = [200, { id: "m", timestamp: 1 }];
  const qq = (other: Awaited<ReturnType<typeof service>>, clock = handClock()) => {
    const account = { baseUrl: other.baseUrl, accessUrl: other.baseUrl, token: "T0K", from: "app" };
    return platformSender(platform("qq"), { account, send: other.send, clock });
  };

  test("gets a token for the bot's secret, keeps it while it holds, and answers in groups and to people", async () => {
    const clock = handClock();
    await using other = await service(token, sent, sent, token, sent);
    const sender = qq(other, clock);
    await sender.send({ id: "a", target: { chatId: "group/G 1", threadId: "m1" }, text: "Hi" }, signal);
    await sender.send({ id: "b", target: { chatId: "user/U" }, text: "**Hi**" }, signal);
    clock.advance(7_200_000);
    await sender.send({ id: "c", target: { chatId: "channel/7" }, text: "Hi" }, signal);
    const authorization = "QQBot short";
    expect(other.seen).toMatchObject([
      { path: "/app/getAppAccessToken", body: { appId: "app", clientSecret: "T0K" } },
      {
        path: "/v2/groups/G%201/messages",
        authorization,
        body: { content: "Hi", msg_type: 0, msg_id: "m1", msg_seq: 1 },
      },
      { path: "/v2/users/U/messages", authorization, body: { content: "Hi", msg_type: 0 } },
      { path: "/app/getAppAccessToken" },
      { path: "/channels/7/messages" },
    ]);
  });

  test("says why it gives no token, and when it is too much for it", async () => {
    await using closed = await service([200, { code: 100016, message: "invalid appid or secret" }]);
    const message = { id: "a", target: { chatId: "G" }, text: "Hi" };
    await expect(qq(closed).send(message, signal)).rejects.toThrow("invalid appid or secret");
    await using busy = await service(token, [400, { code: 22009, message: "msg limit exceed" }]);
    await expect(qq(busy).send(message, signal)).rejects.toMatchObject({
      code: "delivery_failed",
      details: { retryAfterMs: 60_000 },
    });
    await using old = await service(token, [401, { message: "token expired" }], token, sent);
    const sender = qq(old);
    await expect(sender.send(message, signal)).rejects.toThrow("token expired");
    await sender.send(message, signal);
    expect(old.seen).toHaveLength(4);
  });
});

test("a text without a chat goes home, and without a home it says so", async () => {
  await using other = await service([200, {}]);
  const account = { baseUrl: other.baseUrl, token: "T0K", home: "home" };
  await platformSender(platform("home_assistant"), { account, send: other.send, clock: systemClock }).send(
    { id: "d", target: {}, text: "Hi" },
    signal,
  );
  expect(other.seen).toMatchObject([{ path: "/api/services/notify/home" }]);
  const { home: _home, ...homeless } = account;
  const sending = platformSender(platform("home_assistant"), {
    account: homeless,
    send: other.send,
    clock: systemClock,
  }).send({ id: "d", target: {}, text: "Hi" }, signal);
  await expect(sending).rejects.toThrow("home_channel");
});

test("a long text goes out as several messages, and a failure on the way says which are there", async () => {
  const text = `${"word ".repeat(600)}\n\n${"more ".repeat(600)}`;
  await using other = await service([200, { id: "1" }]);
  const account = { baseUrl: other.baseUrl, token: "T0K" };
  await platformSender(example, { account, send: other.send, clock: systemClock }).send(
    { id: "d", target: { chatId: "c" }, text },
    signal,
  );
  const parts = other.seen.map(({ body }) => (body as { content: string }).content);
  expect(parts.every((part) => part.length <= 2000)).toBe(true);
  expect(parts.join(" ").trim().replaceAll(/\s+/g, " ")).toBe(text.trim().replaceAll(/\s+/g, " "));
  await using broken = await service([200, { id: "1" }], [500, {}]);
  const sender = platformSender(example, {
    account: { ...account, baseUrl: broken.baseUrl },
    send: broken.send,
    clock: systemClock,
  });
  const failed = await sender
    .send({ id: "d", target: { chatId: "c" }, text }, signal)
    .catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({ code: "delivery_failed", details: { partsSent: 1 } });
  await using back = await service([200, { id: "1" }]);
  await platformSender(example, {
    account: { ...account, baseUrl: back.baseUrl },
    send: back.send,
    clock: systemClock,
  }).send({ id: "d", target: { chatId: "c" }, text, partsSent: 1 }, signal);
  expect([...broken.seen.slice(0, 1), ...back.seen].map(({ body }) => body)).toEqual(
    other.seen.map(({ body }) => body),
  );
});

test("parts hold all of a text and never half a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 2, max: 30 }),
      (text, limit) => {
        const parts = splitText(text, limit);
        expect(
          parts.every((part) => part.length <= limit && (part.isWellFormed() || !text.isWellFormed())),
        ).toBe(true);
        const bare = (value: string): string => value.replaceAll(/\s/g, "");
        expect(bare(parts.join(""))).toBe(bare(text));
      },
    ),
  );
});

test("a text reaches a phone in the shape of the messaging service", async () => {
  await using other = await service([201, { sid: "SM1" }], [400, { message: "not a valid phone number" }]);
  const account = { baseUrl: other.baseUrl, accountSid: "AC1", token: "T0K", from: "+1555" };
  const sender = smsSender({ account, send: other.send });
  await sender.send({ target: { chatId: "+49170" }, text: "Hi" }, signal);
  expect(other.seen).toMatchObject([
    {
      path: "/2010-04-01/Accounts/AC1/Messages.json",
      authorization: `Basic ${Buffer.from("AC1:T0K").toString("base64")}`,
      body: { To: "+49170", From: "+1555", Body: "Hi" },
    },
  ]);
  await expect(sender.send({ target: { chatId: "x" }, text: "Hi" }, signal)).rejects.toThrow(
    "not a valid phone number",
  );
});

describe("a comment on a pull request", () => {
  test("is made by the code host's tool, with the text as one argument", async () => {
    const ran: (readonly string[])[] = [];
    const sender = codeHostCommentSender((args) => Promise.resolve(void ran.push(args)));
    await sender.send({ text: "$(rm -rf ~) `x`", extra: { repo: "o/r", pr_number: "7" } }, signal);
    expect(ran).toEqual([["pr", "comment", "7", "--repo", "o/r", "--body", "$(rm -rf ~) `x`"]]);
  });

  test.each([
    {},
    { repo: "o/r" },
    { repo: "o", pr_number: "7" },
    { repo: "-x/y", pr_number: "7" },
    { repo: "o/r", pr_number: "--web" },
    { repo: "o/r", pr_number: "0" },
  ])("is refused for %j", async (extra) => {
    const sender = codeHostCommentSender(() => Promise.reject(new Error("must not run")));
    await expect(sender.send({ text: "Hi", extra }, signal)).rejects.toBeInstanceOf(HostError);
  });
});

/** A mail server that takes one mail, or refuses recipients. */
async function mailServer(refuse = false) {
  const lines: string[] = [];
  const server = createTcpServer((socket) => {
    let data = false;
    let rest = "";
    socket.on("error", () => undefined);
    socket.write("220 test ESMTP\r\n");
    socket.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\r\n");
      rest = parts.pop() ?? "";
      for (const line of parts) {
        lines.push(line);
        if (data) {
          data = line !== ".";
          if (!data) socket.write("250 taken\r\n");
        } else if (line.startsWith("RCPT") && refuse) socket.write("550 no such user\r\n");
        else if (line === "DATA") {
          data = true;
          socket.write("354 go on\r\n");
        } else if (line === "QUIT") socket.end("221 bye\r\n");
        else socket.write("250 ok\r\n");
      }
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { lines, port: (server.address() as AddressInfo).port, close: () => server.close() };
}

describe("mail", () => {
  const account = (port: number) => ({ host: "127.0.0.1", port, secure: false });
  const mail = {
    from: "agent@example.org",
    to: "ann@example.org",
    subject: "Report",
    text: "Hello",
    messageId: "<1@example.org>",
  };

  test("is sent through the owner's server, and a title cannot add a header", async () => {
    const server = await mailServer();
    await sendMail(account(server.port), { ...mail, subject: "Report\r\nBcc: all@example.org" });
    server.close();
    expect(server.lines).toContain("RCPT TO:<ann@example.org>");
    expect(server.lines).toContain("Subject: Report Bcc: all@example.org");
    expect(server.lines).toContain("Hello");
    expect(server.lines.some((line) => line.startsWith("Bcc:"))).toBe(false);
  });

  test("that is refused for good is not tried again, and a server that is away is", async () => {
    const server = await mailServer(true);
    await expect(sendMail(account(server.port), mail)).rejects.toMatchObject({ code: "invalid_params" });
    server.close();
    const away = await sendMail(account(1), mail).catch((thrown: unknown) => thrown);
    expect(away).toMatchObject({ code: "delivery_failed", details: {} });
    expect(away).not.toHaveProperty("details.uncertain");
  });
});
