import { describe, expect, test } from "vitest";
import { times, timesOr } from "../../kit/counts.ts";
import { type Exchange, hasAnswer, historyFaults } from "./check-history.ts";
import { type ChatProcess, startChat } from "./chat-process.ts";
import { answerTo, echoModel } from "./echo-model.ts";
import { type FakePlatform, type ProvedPlatform, quick } from "./fake-platform.ts";
import { killOften, killWhileAnswering } from "./kill-often.ts";
import { proveFiles } from "./prove-files.ts";

const RATE = 0.01;
const FAULTS = { drop: RATE, lose: RATE, limit: RATE, garble: RATE, duplicate: RATE, reorder: RATE };
const PEOPLE = timesOr(50, 10);
// Not for speed: in the long run platforms that are polled take ten thousand messages slowly.
const PATIENCE_MS = timesOr(3_600_000, 600_000);

/** The common tests of a chat platform: what is promised, on a fake of its real API. */
export function provePlatform(proved: ProvedPlatform): void {
  const { platform, start } = proved;
  const chatOn = async (fake: FakePlatform, settings = {}): Promise<ChatProcess> => {
    const chat = await startChat({
      platform: quick(platform),
      account: fake.account,
      models: echoModel(),
      settings,
    });
    fake.postTo?.((request) => chat.connector.webhook(request));
    await fake.listened?.();
    return chat;
  };

  describe(`${platform.title}: what is promised`, () => {
    test(
      "10,000 messages with 1 % of each fault are each answered once, in order",
      { timeout: PATIENCE_MS },
      async () => {
        await using fake = await start({ faults: FAULTS });
        await using chat = await chatOn(fake);
        const sent: Exchange[] = [];
        for (let index = 0; index < timesOr(10_000, 100); index += 1) {
          const text = `m${index}`;
          sent.push({ place: fake.say(1 + (index % PEOPLE), text), answer: answerTo(text) });
        }
        await untilAnswered(fake, sent);
        expect(historyFaults(fake.history, sent)).toEqual([]);
        expect(chat.reported).toEqual([]);
      },
    );

    test("1,000 threads at once are 1,000 conversations", { timeout: PATIENCE_MS }, async () => {
      await using fake = await start();
      await using chat = await chatOn(fake);
      const sent = Array.from({ length: timesOr(1000, 70) }, (_, thread) => {
        const text = `t${thread}`;
        return { place: fake.sayInThread(thread + 1, text), answer: answerTo(text) };
      });
      await untilAnswered(fake, sent);
      expect(historyFaults(fake.history, sent)).toEqual([]);
      expect(new Set(sent.map(({ place }) => place)).size).toBe(sent.length);
      expect(chat.reported).toEqual([]);
    });

    test("a stranger gets one line with a code, however often they write, and is let in by it", async () => {
      await using fake = await start();
      await using chat = await chatOn(fake, { allow: [] });
      const place = fake.say(7, "hello");
      await fake.history.until(() => fake.history.said(place).length > 0);
      const code = /agent pair ([A-Z2-9]{8})/.exec(fake.history.said(place)[0] ?? "")?.[1] ?? "";
      for (let index = 0; index < times(200); index += 1) fake.say(7, `again ${index}`);
      // Another one is told only after what came before is read.
      const other = fake.say(8, "hello too");
      await fake.history.until(() => fake.unconfirmed === 0 && fake.history.said(other).length > 0);
      expect(fake.history.said(place)).toHaveLength(1);
      await chat.pairing.approve(code.toLowerCase());
      fake.say(7, "now");
      await fake.history.until(() => fake.history.said(place).some((text) => text.includes(answerTo("now"))));
      expect(await chat.inbox.list({ limit: 10 })).toHaveLength(1);
    });

    test("a message of a megabyte, of control characters, of mentions and of markup each gets an answer or a refusal in words", async () => {
      await using fake = await start();
      await using chat = await chatOn(fake);
      const hard = [
        "a".repeat(1_000_000),
        "\u0000\u0007\u001b[31m\u202e",
        "@everyone ".repeat(10_000),
        "\ud800 half a character",
        "``` *_~ <b> & [x](javascript:1) ".repeat(300),
      ];
      for (const [index, text] of hard.entries()) {
        const place = fake.say(100 + index, text);
        await fake.history.until(() => fake.history.said(place).length > 0);
        expect(fake.history.said(place).join("").trim()).not.toBe("");
      }
      expect(chat.reported).toEqual([]);
    });
  });

  proveRedelivery(proved);
  proveFiles(proved);
  proveKills(proved);
  proveWebhook(proved);
}

/** A process that has been told to take nothing more. */
function proveRedelivery({ platform, start, redelivers }: ProvedPlatform): void {
  if (redelivers !== true) return;
  test(`${platform.title}: what cannot be accepted is not acknowledged, and comes again`, async () => {
    await using fake = await start();
    const process = { platform: quick(platform), account: fake.account, models: echoModel() };
    await using chat = await startChat(process);
    await expect.poll(() => chat.states.at(-1)).toBe("connected");
    chat.connector.drain();
    const place = fake.say(1, "late");
    await expect.poll(() => chat.states.at(-1)).toBe("off");
    expect([fake.unconfirmed, fake.history.said(place)]).toEqual([1, []]);
    await using next = await startChat(process);
    await fake.history.until(() =>
      fake.history.said(place).some((text) => hasAnswer(text, answerTo("late"))),
    );
    expect(next.reported).toEqual([]);
  });
}

/** A process that is killed at any moment. */
function proveKills(proved: ProvedPlatform): void {
  const killed = proved.forgets === true ? killWhileAnswering : killOften;
  test(
    `${proved.platform.title}: 200 kills between any two steps lose nothing and repeat nothing unmarked`,
    { timeout: timesOr(1_200_000, 180_000) },
    async () => {
      const faults = await killed(proved, timesOr(200, proved.often === true ? 2 : 1));
      expect(faults).toEqual([]);
    },
  );
}

/** Requests that are not genuine, and those that come again. */
function proveWebhook({ platform, start, signed, webhook }: ProvedPlatform): void {
  if (signed === undefined || webhook === undefined) return;
  test(`${platform.title}: 1,000 forged requests are refused, and 1,000 replays of one are one message`, async () => {
    await using fake = await start();
    const account = { ...fake.account, ...webhook.account, mode: "webhook" as const };
    account.secrets = { ...fake.account.secrets, ...webhook.account.secrets };
    await using chat = await startChat({ platform: quick(platform), account, models: echoModel() });
    await expect.poll(() => chat.states.at(-1)).toBe("connected");
    const forged = { ...signed("another secret entirely", "forged"), query: {} };
    for (let index = 0; index < times(1000); index += 1)
      expect((await chat.connector.webhook(forged)).status).toBe(401);
    const genuine = signed(webhook.secret, "once");
    const answers = await Promise.all(
      Array.from({ length: times(1000) }, () => chat.connector.webhook(genuine)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await fake.history.until(() => fake.history.messages.some(({ text }) => text.includes(answerTo("once"))));
    expect(await chat.inbox.list({ limit: 10 })).toHaveLength(1);
  });
}

/** Waits until each message has its answer, or a failure that says so. */
async function untilAnswered({ history }: FakePlatform, sent: readonly Exchange[]): Promise<void> {
  const open = new Set(sent);
  await history.until(() => {
    const changed = history.takeChanged();
    for (const exchange of open)
      if (changed.some((text) => hasAnswer(text, exchange.answer))) open.delete(exchange);
    return open.size === 0;
  });
}
