import { createHash } from "node:crypto";
import type { Clock } from "../../shared/async/clock.ts";
import { type HostError, toHostError, toolFailed } from "../../shared/errors/host-error.ts";
import type { Sink } from "../port/channel.ts";
import type { IncomingFile, IncomingMessage } from "../port/incoming.ts";
import type { ChannelNotes } from "../port/platform.ts";
import { isProved } from "./authenticity.ts";
import { bouncedIds, isAutomatic } from "./automatic.ts";
import { type ImapClient, type ImapOptions, openImap, type StoredMail } from "./imap-client.ts";
import { RENEW_MS } from "./limits.ts";
import type { Mail } from "./reading/mail.ts";
import type { MailReader } from "./reading/mail-reader.ts";
import type { MailSettings } from "./settings.ts";
import type { Threads } from "./threads.ts";

const KEPT_MS = 10 * 365 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const MOST_SENDERS = 5000;

/** The parts of receiving. */
export interface MailReceiver {
  readonly imap: ImapOptions;
  readonly settings: MailSettings;
  readonly notes: ChannelNotes;
  readonly threads: Threads;
  readonly mails: Pick<MailReader, "read">;
  readonly unread: UnreadMails;
  readonly report: (error: HostError) => void;
  readonly clock: Clock;
  readonly isOwn: (messageId: string) => boolean;
  readonly ownAddress: string;
}

/** Hands over what comes into the mailbox. What was handed over is marked as read there; all else stays as it is. */
export async function receiveMails(receiver: MailReceiver, sink: Sink, signal: AbortSignal): Promise<void> {
  using client = await openImap(receiver.imap);
  const reading = new MailboxReading(receiver, client);
  await reading.begin();
  sink.alive();
  while (!signal.aborted) {
    await reading.takeNew(sink, signal);
    sink.alive();
    await client.waitForNews(RENEW_MS);
    sink.alive();
  }
}

/** How long a mail is tried that could not be read through no fault of its own, and holds up all that came after it. */
const TRIED_MS = 10 * 60_000;

/** The mail that could not be read, over all connections. */
export class UnreadMails {
  readonly #clock: Clock;
  #uid = 0;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Says whether a mail that could not be read is to be tried again. */
  isWorthWhile(uid: number): boolean {
    const now = this.#clock.monotonic();
    if (uid !== this.#uid) this.#since = now;
    this.#uid = uid;
    return now - this.#since < TRIED_MS;
  }
}

/** Where a mail is in its mailbox, and as what. */
interface MailPlace {
  readonly uid: number;
  readonly stored: StoredMail;
}

class MailboxReading {
  readonly #receiver: MailReceiver;
  readonly #client: ImapClient;
  readonly #heard = new Map<string, number[]>();
  #validity = "";
  /** The number of the last mail that was looked at. */
  #last = 0;

  constructor(receiver: MailReceiver, client: ImapClient) {
    this.#receiver = receiver;
    this.#client = client;
  }

  /** Goes on where reading stopped; the first time with what comes from now on. */
  async begin(): Promise<void> {
    const { notes, settings } = this.#receiver;
    const { validity, next } = await this.#client.select(settings.imap.mailbox);
    this.#validity = validity;
    const noted = (await notes.all()).get("mailbox");
    const [before, last] = noted?.split(" ") ?? [];
    if (before === validity) this.#last = Number(last);
    // The server numbered its mails anew: those that nobody has read are looked at, and known ones are known by their ids.
    else if (before !== undefined) this.#last = 0;
    else await this.#noteLast(next - 1);
    if (before !== undefined && before !== validity) await this.#skipRead();
  }

  /** Takes the mails that came since, one after the other. */
  async takeNew(sink: Sink, signal: AbortSignal): Promise<void> {
    const found = await this.#client.search(`UID ${this.#last + 1}:*`);
    for (const uid of found) {
      if (uid <= this.#last) continue;
      const stored = await this.#client.fetch(uid);
      if (stored !== undefined) {
        const mail = await this.#read({ uid, stored }, signal);
        const isTaken = mail !== undefined && (await this.#take(sink, mail, { uid, stored }));
        if (isTaken) await this.#client.markSeen(uid);
      }
      await this.#noteLast(uid);
      sink.alive();
    }
  }

  /** Reads a mail. One that cannot be read stays unread in the mailbox, and the operator is told of it. */
  async #read({ uid, stored }: MailPlace, signal: AbortSignal): Promise<Mail | undefined> {
    const { mails, unread, report } = this.#receiver;
    try {
      return await mails.read(stored.bytes, signal);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (signal.aborted || (error.code !== "tool_failed" && unread.isWorthWhile(uid))) throw error;
      const which = `mail ${uid} of ${this.#receiver.settings.imap.mailbox}, of ${stored.size} bytes`;
      report(toolFailed(`email: ${which}, is left unread: ${error.message}.`, error));
      return undefined;
    }
  }

  /** The first mail that nobody has read is the next one. */
  async #skipRead(): Promise<void> {
    const [first] = await this.#client.search("UNSEEN");
    const { next } = await this.#client.select(this.#receiver.settings.imap.mailbox);
    await this.#noteLast((first ?? next) - 1);
  }

  async #noteLast(uid: number): Promise<void> {
    const { notes, clock } = this.#receiver;
    this.#last = uid;
    await notes.put("mailbox", `${this.#validity} ${uid}`, clock.now() + KEPT_MS);
  }

  /** @returns whether the mail was for the agent */
  async #take(sink: Sink, mail: Mail, { uid, stored }: MailPlace): Promise<boolean> {
    const { settings, isOwn, ownAddress, clock, threads } = this.#receiver;
    const bounced = bouncedIds(mail, isOwn);
    for (const messageId of bounced) await sink.undelivered({ messageId, reason: "the mail came back" });
    if (bounced.length > 0) return true;
    const { sender, messageId } = mail;
    // Whoever a mail only says to be from is a stranger who must not be written to: they may know nothing of it.
    if (
      sender === undefined ||
      sender === ownAddress ||
      isAutomatic(mail) ||
      !isProved(mail, settings.authservId)
    )
      return false;
    if ((messageId !== undefined && isOwn(messageId)) || this.#isTooMuch(sender)) return false;
    const id = messageId ?? `<${createHash("sha256").update(stored.bytes).digest("hex")}@agent.invalid>`;
    const threadId = await threads.note(mail, id, clock.now());
    await sink.take([this.#message(mail, { sender, id, threadId, uid, stored })]);
    return true;
  }

  #message(
    mail: Mail,
    {
      sender,
      id,
      threadId,
      uid,
      stored,
    }: { sender: string; id: string; threadId: string; uid: number; stored: StoredMail },
  ): IncomingMessage {
    const isNew = mail.references.length === 0;
    return {
      type: "message",
      // Two people may send the same id, and one of them on purpose.
      eventId: `${id} ${sender}`,
      place: { kind: "direct", chatId: sender, threadId },
      from: { id: sender, name: mail.senderName || sender },
      messageId: id,
      text: isNew ? withSubject(mail) : mail.text,
      files: filesOf(mail, { uid, validity: this.#validity, stored }),
      addressed: true,
    };
  }

  /** More mails of one sender than anybody writes come from a program. */
  #isTooMuch(sender: string): boolean {
    const { clock, settings } = this.#receiver;
    const now = clock.now();
    if (this.#heard.size >= MOST_SENDERS) this.#heard.clear();
    const recent = (this.#heard.get(sender) ?? []).filter((at) => now - at < HOUR_MS);
    this.#heard.set(sender, recent);
    if (recent.length >= settings.mostPerHour) return true;
    recent.push(now);
    return false;
  }
}

/** The first mail of a thread says in its subject what it is about. */
const withSubject = ({ subject, text }: Mail): string =>
  text.startsWith("/") || subject === "" ? text : `${subject}\n\n${text}`.trim();

/** Files of a mail of which only the beginning was got are too large, whatever they look like. */
function filesOf(
  { files }: Mail,
  { uid, validity, stored }: { uid: number; validity: string; stored: StoredMail },
): readonly IncomingFile[] {
  const isWhole = stored.bytes.length >= stored.size;
  return files.map(({ name, mediaType, bytes }, index) => ({
    name,
    mediaType,
    size: isWhole ? bytes.length : Number.MAX_SAFE_INTEGER,
    ref: JSON.stringify([validity, uid, index]),
  }));
}
