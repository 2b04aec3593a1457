import { expect, test } from "vitest";
import { openChatStream } from "../../../src/app/chat/chat-stream.ts";
import { type Mail, parseMail } from "../../../src/chat/email/reading/mail.ts";
import { receiveMails, UnreadMails } from "../../../src/chat/email/receive.ts";
import { mailSettings } from "../../../src/chat/email/settings.ts";
import { Threads } from "../../../src/chat/email/threads.ts";
import type { Sink } from "../../../src/chat/port/channel.ts";
import type { Incoming } from "../../../src/chat/port/incoming.ts";
import { HostError, toolFailed } from "../../../src/shared/errors/host-error.ts";
import { handClock } from "../../kit/clock.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { FakeEmail, OWN_ADDRESS } from "./fake-email.ts";

/** A mailbox with mails that nobody has read, and a receiver that reads them in its own way. */
async function stageOf(texts: readonly string[], read: (text: string) => HostError | undefined) {
  const fake = await FakeEmail.start();
  for (const text of texts) fake.send({ text });
  await expect.poll(() => fake.imap.mails.length).toBe(texts.length);
  const settings = mailSettings({ ...fake.account, mode: "connection" });
  if (settings === undefined) throw new Error("it receives");
  const { notes, written } = portsTo("http://127.0.0.1:1");
  // Another numbering than this one: all that is unread is looked at.
  written.set("mailbox", "0 0");
  const clock = handClock();
  const reported: string[] = [];
  const taken: string[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  const receiver = {
    imap: { account: settings.imap, open: openChatStream, clock, largest: 1e6, signal },
    settings,
    notes,
    threads: new Threads(notes),
    mails: {
      async read(bytes: Uint8Array): Promise<Mail | undefined> {
        const mail = await parseMail(bytes);
        const failure = read(mail?.text.trim() ?? "");
        if (failure !== undefined) throw failure;
        return mail;
      },
    },
    unread: new UnreadMails(clock),
    report: ({ message }: HostError) => void reported.push(message),
    clock,
    isOwn: () => false,
    ownAddress: OWN_ADDRESS,
  };
  const sink: Sink = {
    async take(events: readonly Incoming[]) {
      for (const event of events) if (event.type === "message") taken.push(event.text);
      if (taken.at(-1) === "last") controller.abort();
      await Promise.resolve();
    },
    undelivered: () => Promise.resolve(),
    admits: () => Promise.resolve(true),
    alive: () => undefined,
  };
  const receive = (): Promise<string> =>
    receiveMails(receiver, sink, signal).then(
      () => "over",
      (error: unknown) => (signal.aborted ? "over" : String(error)),
    );
  return { fake, clock, reported, taken, receive };
}

const noThread = (): HostError => new HostError("internal", "no thread");

test("a mail that no thread could read is read with the next connection", async () => {
  let failures = 2;
  const { fake, reported, taken, receive } = await stageOf(["first", "last"], (text) =>
    text === "first" && failures-- > 0 ? noThread() : undefined,
  );
  await using _ = fake;
  expect([await receive(), await receive(), await receive()]).toEqual([
    "HostError: no thread",
    "HostError: no thread",
    "over",
  ]);
  expect(taken).toEqual(["first", "last"]);
  expect(reported).toEqual([]);
});

test("a mail that takes too much, and one that holds up the others for ten minutes, are left unread and told", async () => {
  const { fake, clock, reported, taken, receive } = await stageOf(["huge", "deadly", "last"], (text) => {
    if (text === "huge") return toolFailed("it takes more than 60 s to read");
    return text === "deadly" ? noThread() : undefined;
  });
  await using _ = fake;
  expect(await receive()).toBe("HostError: no thread");
  clock.advance(9 * 60_000);
  expect(await receive()).toBe("HostError: no thread");
  clock.advance(60_000);
  expect(await receive()).toBe("over");
  expect(taken).toEqual(["last"]);
  expect(reported).toEqual([
    expect.stringMatching(
      /^email: mail 1 of INBOX, of \d+ bytes, is left unread: it takes more than 60 s to read\.$/,
    ),
    expect.stringMatching(/^email: mail 2 of INBOX, of \d+ bytes, is left unread: no thread\.$/),
  ]);
  expect(fake.imap.mails.map(({ isSeen }) => isSeen)).toEqual([false, false, expect.any(Boolean)]);
});
