import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import {
  codeHostCommentSender,
  platformSender,
  PLATFORMS,
  type PlatformTransport,
  smsSender,
  TELEGRAM_HTML,
} from "../../../src/providers/delivery/index.ts";

type MessagingPlatform = (typeof PLATFORMS)[number];

const { signal } = new AbortController();

const TAGS = /<\/?(?:b|i|s|p|h4|del|code|pre|blockquote|br|a)(?: (?:class|href)="[^"<>]*")?>/g;

/** Strictness of a platform: what makes it refuse a message, or `undefined`. */
function fault({ limit, flavour, name }: MessagingPlatform, body: string): string | undefined {
  const strings = stringsIn(JSON.parse(body));
  const text = strings.toSorted((one, other) => other.length - one.length)[0] ?? "";
  const isHtml = flavour?.paragraph("x") === "<p>x</p>" || flavour?.strong("x") === "<b>x</b>";
  const seen = isHtml ? text.replaceAll(TAGS, "").replaceAll(/&(amp|lt|gt|quot);/g, "x") : text;
  if (strings.some((each) => !each.isWellFormed())) return "half a character";
  if (strings.some((each) => /(?![\n\t])\p{Cc}/u.test(each))) return "a control character";
  if (seen.replaceAll(/[\s\p{Default_Ignorable_Code_Point}]/gu, "") === "") return "empty";
  if (seen.length > limit) return `too long: ${seen.length}`;
  if (isHtml && /<|&(?!(amp|lt|gt|quot);)/.test(seen)) return `a bad entity: ${seen}`;
  if (name === "wecom" && Buffer.byteLength(text) > 2048) return "too large";
  return undefined;
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const TAKEN = { ok: true, code: 0, errcode: 0, access_token: "t", expires_in: 7200 };

function transport(answer: (body: string, url: string) => number): PlatformTransport & { count: number } {
  const send = ({ body, url }: { readonly body: string; readonly url: string }) => {
    send.count += 1;
    const status = answer(body, url);
    return Promise.resolve({
      status,
      headers: {},
      bytes: new TextEncoder().encode(JSON.stringify(status === 200 ? TAKEN : {})),
    });
  };
  send.count = 0;
  return send;
}

const HARD: Readonly<Record<string, string>> = {
  empty: "",
  blank: " \n\u200b\u2060\u3164\t",
  controls: "a\0b\u0007c\u001b[31md\u0085e\r\nf\u007f",
  "half characters": "\ud83d a \ude00 b \ud800",
  "definitions only": "[a]: https://x.test/",
  "links that grow": `${"[a] ".repeat(400)}\n\n[a]: https://x.test/${"y".repeat(900)}`,
  "signs that grow": "<&>".repeat(1500),
  "wide characters": "漢".repeat(16_000),
  "wide characters twice": "𠀀".repeat(8000),
  "marks that are not closed": "**a [b](c _d `e <f\n```\n<g>".repeat(200),
  "lists in lists": "- a\n  - b\n    - c **d**\n".repeat(300),
  "tags of its own": '<b><a href="x">y</a></b> &amp;&lt;&#64; </p>'.repeat(100),
  "calls for everybody": "@all @here <@U1> <at x>".repeat(300),
  "an empty heading": "#\n\n**",
  "one long line of code": `\`\`\`js\n${"x".repeat(30_000)}\n\`\`\``,
  "a long language": `\`\`\`${"l".repeat(6000)}\nx\n\`\`\``,
};

describe.each(PLATFORMS.map((platform) => [platform.name, platform] as const))("%s", (_name, platform) => {
  const account = { baseUrl: "https://platform.test", token: "T", from: "F", home: "c" };
  const sent = async (text: string): Promise<readonly string[]> => {
    const faults: string[] = [];
    const send = transport((body, url) => {
      const found = url.includes("getAppAccessToken") ? undefined : fault(platform, body);
      if (found !== undefined) faults.push(found);
      return found === undefined ? 200 : 400;
    });
    const sender = platformSender(platform, { account, send, clock: systemClock });
    await sender.send({ id: "d", target: {}, text }, signal);
    return faults;
  };

  test.each(Object.entries(HARD))("takes a text that is hard: %s", async (_what, text) => {
    expect(await sent(text)).toEqual([]);
  });

  test("takes every text", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom(
        "**",
        "_",
        "`",
        "```\n",
        "<",
        "&",
        "[a](",
        "https://x.test)",
        "\n\n",
        "> ",
        "| a |\n|-|\n",
      ),
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(text, async (each) => {
        expect(await sent(each)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

/** A platform as they come and go. */
const example: MessagingPlatform = {
  kind: "messenger_0",
  name: "example",
  limit: 4096,
  flavour: TELEGRAM_HTML,
  call: ({ chatId, text }) => ({ path: "/send", body: { chatId, text } }),
  refusal: ({ status }) => (status === 200 ? undefined : { message: `status ${status}` }),
};

test("a text whose markup a platform refuses is sent without any", async () => {
  const bodies: string[] = [];
  const send = transport((body) => (bodies.push(body), body.includes("<b>") ? 400 : 200));
  const account = { baseUrl: "https://platform.test", token: "T", home: "c" };
  await platformSender(example, { account, send, clock: systemClock }).send(
    { id: "d", target: {}, text: "**a** < b" },
    signal,
  );
  expect(bodies.map((body) => (JSON.parse(body) as { text: string }).text)).toEqual([
    "<b>a</b> &lt; b",
    "**a** &lt; b",
  ]);
});

test("a part that is refused for its words ends the delivery, and one key that is wrong is not tried twice", async () => {
  for (const status of [400, 401]) {
    const send = transport(() => status);
    const account = { baseUrl: "https://platform.test", token: "T", home: "c" };
    const sending = platformSender(example, { account, send, clock: systemClock }).send(
      { id: "d", target: {}, text: "**a**" },
      signal,
    );
    await expect(sending).rejects.toMatchObject({ code: "invalid_params", details: { partsSent: 0 } });
    expect(send.count).toBe(status === 400 ? 2 : 1);
  }
});

test("a text message says where it stopped, and goes on from there", async () => {
  const bodies: string[] = [];
  let busy = true;
  const send = transport((body) => {
    if (busy && bodies.length === 1) return 429;
    bodies.push(new URLSearchParams(body).get("Body") ?? "");
    return 200;
  });
  const account = { baseUrl: "https://sms.test", accountSid: "A", token: "T", from: "1", home: "2" };
  const sender = smsSender({ account, send });
  const text = `${"a ".repeat(800)}b`;
  const failed = await sender.send({ target: {}, text }, signal).catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({ code: "delivery_failed", details: { partsSent: 1 } });
  busy = false;
  await sender.send({ target: {}, text, partsSent: 1 }, signal);
  expect(bodies.map((body) => body.length)).toEqual([1599, 1]);
});

test("a comment that is too long is several, each short enough for a program's argument", async () => {
  const ran: string[] = [];
  const extra = { repo: "o/r", pr_number: "7" };
  const sender = codeHostCommentSender((args) => {
    if (ran.length === 1) return Promise.reject(new HostError("delivery_failed", "gh: 502"));
    return Promise.resolve(void ran.push(args.at(-1) ?? ""));
  });
  const text = `${"漢 ".repeat(30_000)}\0\n\n${"x".repeat(1000)}`;
  const failed = await sender.send({ text, extra }, signal).catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({ code: "delivery_failed", details: { partsSent: 1 } });
  expect(Buffer.byteLength(ran[0] ?? "")).toBeLessThan(128 * 1024);
  expect(ran[0]).not.toContain("\0");
});
