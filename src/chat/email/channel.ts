import { sendMail, type MailAccount, verifyMailServer } from "../../providers/delivery/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { parseForeignJson } from "../../shared/json/json.ts";
import type { Channel } from "../port/channel.ts";
import type { IncomingFile } from "../port/incoming.ts";
import type { OutgoingMessage } from "../port/outgoing.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { type ImapOptions, openImap } from "./imap-client.ts";
import { MailReader } from "./reading/mail-reader.ts";
import { receiveMails, UnreadMails } from "./receive.ts";
import { type MailSettings, mailSettings } from "./settings.ts";
import { Threads } from "./threads.ts";

/** Bytes of a mail that are got; of a larger one its beginning. */
const LARGEST_MAIL = 25_000_000;

/** Makes the channel of a mail account. @throws HostError `config_invalid` */
export function emailChannel(account: Account, ports: ChannelPorts): Channel {
  const { clock, notes } = ports;
  const settings = mailSettings(account);
  const from = account.from ?? "";
  const ownAddress = addressIn(from);
  const smtp = smtpAccount(account);
  const threads = new Threads(notes);
  const mails = new MailReader(clock);
  const unread = new UnreadMails(clock);
  const imap = (signal: AbortSignal): ImapOptions => {
    const { imap: mailbox } = receiving(settings);
    return { account: mailbox, open: ports.connect, clock, largest: LARGEST_MAIL, signal };
  };
  const domain = ownAddress.split("@").at(-1) || "agent.invalid";
  const idOf = (once: string): string => `<agent.${once.replaceAll(/[^\w.-]/g, "-")}@${domain}>`;
  const isOwn = (id: string): boolean => id.startsWith("<agent.") && id.endsWith(`@${domain}>`);

  return {
    ...(settings?.sentMailbox !== undefined && { capabilities: { resend: "ask" as const } }),
    async connect(_commands, signal) {
      await verifyMailServer(smtp);
      if (settings !== undefined) {
        using client = await openImap(imap(signal));
        await client.select(settings.imap.mailbox, true);
      }
      return { id: ownAddress, name: ownAddress };
    },
    receive: (sink, signal) =>
      receiveMails(
        {
          imap: imap(signal),
          settings: receiving(settings),
          notes,
          threads,
          mails,
          unread,
          report: ports.report,
          clock,
          isOwn,
          ownAddress,
        },
        sink,
        signal,
      ),
    send: mailSender({ smtp, from, threads, idOf }),
    // The server keeps there what was sent through it.
    async find({ once }, signal) {
      using client = await openImap(imap(signal));
      await client.select(settings?.sentMailbox ?? "", true);
      const messageId = idOf(once);
      const found = await client.search(`HEADER MESSAGE-ID "${messageId}"`);
      return found.length > 0 ? messageId : undefined;
    },
    download: (file, maxBytes, signal) =>
      download(imap(signal), { file, maxBytes, read: (bytes) => mails.read(bytes, signal) }),
  };
}

/** What a mail that goes out is made with. */
interface MailSending {
  readonly smtp: MailAccount;
  readonly from: string;
  readonly threads: Threads;
  /** The Message-ID of what is sent once. */
  readonly idOf: (once: string) => string;
}

/** Sends mails into their threads; gives their Message-IDs. */
function mailSender({
  smtp,
  from,
  threads,
  idOf,
}: MailSending): (message: OutgoingMessage) => Promise<string> {
  return async (message) => {
    const { place, text, once, file } = message;
    const { threadId } = place;
    const end = threadId === undefined ? undefined : await threads.find(threadId);
    const messageId = idOf(once);
    await sendMail(smtp, {
      from,
      to: place.chatId,
      subject: end === undefined ? (message.subject ?? "Message from the agent") : replySubject(end.subject),
      text,
      messageId,
      // Other programs must not answer it.
      headers: { "Auto-Submitted": end === undefined ? "auto-generated" : "auto-replied" },
      ...defined({ inReplyTo: end?.references.at(-1), references: end?.references, file }),
    });
    return messageId;
  };
}

/** @throws HostError `config_invalid` where mails only go out */
function receiving(settings: MailSettings | undefined): MailSettings {
  if (settings !== undefined) return settings;
  throw new HostError(
    "config_invalid",
    "platforms.email.extra.imap_host and authserv_id are not set: mails only go out.",
  );
}

/** The address in `Name <address>`. */
const addressIn = (from: string): string => (/<([^<>]+)>\s*$/.exec(from)?.[1] ?? from).trim().toLowerCase();

function smtpAccount({ baseUrl, secrets, user }: Account): MailAccount {
  const { protocol, hostname, port } = new URL(baseUrl);
  return {
    host: hostname,
    port: Number(port) || (protocol === "smtps:" ? 465 : 587),
    secure: protocol === "smtps:",
    ...(user === undefined ? {} : { user, password: secrets["token"] ?? "" }),
  };
}

const replySubject = (subject: string): string =>
  subject === "" ? "Re: your mail" : /^re:/i.test(subject) ? subject : `Re: ${subject}`;

/** A file of a mail that is wanted. */
interface MailFileRequest {
  readonly file: IncomingFile;
  readonly maxBytes: number;
  readonly read: (mail: Uint8Array) => ReturnType<MailReader["read"]>;
}

async function download(
  options: ImapOptions,
  { file: { ref }, maxBytes, read }: MailFileRequest,
): Promise<Uint8Array> {
  const gone = new HostError("not_found", "email: the file is not there any more.");
  const given = parseForeignJson(ref);
  const [validity, uid, index]: unknown[] = Array.isArray(given) ? given : [];
  using client = await openImap(options);
  const mailbox = await client.select(options.account.mailbox, true);
  if (mailbox.validity !== validity) throw gone;
  const stored = await client.fetch(Number(uid));
  const mail = stored && (await read(stored.bytes));
  const found = mail?.files[Number(index)];
  if (found === undefined || found.bytes.length > maxBytes) throw gone;
  return found.bytes;
}
