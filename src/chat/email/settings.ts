import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Account } from "../port/platform.ts";

/** The schema of the own keys of the block `extra` of mail. */
export const MailExtraWire = z.looseObject({
  imap_host: z.string().min(1).optional(),
  imap_port: z.int().min(1).max(65_535).optional(),
  imap_security: z.enum(["tls", "starttls", "none"]).default("tls"),
  imap_user: z.string().min(1).optional(),
  imap_mailbox: z.string().min(1).default("INBOX"),
  authserv_id: z.string().min(1).optional(),
  sent_mailbox: z.string().min(1).optional(),
  most_per_hour: z.int().min(1).default(30),
});

/** A mailbox on an IMAP server. */
export interface ImapAccount {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly user: string;
  readonly password: string;
  readonly mailbox: string;
}

/** The settings of an account that also receives. */
export interface MailSettings {
  readonly imap: ImapAccount;
  /** The name by which the owner's server says what it found out about a sender. */
  readonly authservId: string;
  /** Mails of one sender that are read within an hour. */
  readonly mostPerHour: number;
  /** The mailbox in which the server itself keeps what is sent through it. */
  readonly sentMailbox?: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

/** The settings for receiving; `undefined` where mails only go out. @throws HostError `config_invalid` */
export function mailSettings({ extra, secrets, user, from = "" }: Account): MailSettings | undefined {
  const read = MailExtraWire.safeParse(extra);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new HostError(
      "config_invalid",
      `platforms.email.extra.${issue?.path.join(".") ?? ""} is not valid: ${issue?.message ?? ""}.`,
    );
  }
  const { imap_host: host, imap_security: security, authserv_id: authservId, ...rest } = read.data;
  if (host === undefined || authservId === undefined) return undefined;
  if (security === "none" && !LOOPBACK.has(host))
    throw new HostError(
      "config_invalid",
      "platforms.email.extra.imap_security: none is for this machine only: a password would be read on the way. Use tls or starttls.",
    );
  const { imap_port: port, imap_user: imapUser, imap_mailbox: mailbox, sent_mailbox: sentMailbox } = rest;
  return {
    imap: {
      host,
      port: port ?? (security === "tls" ? 993 : 143),
      security,
      user: imapUser ?? user ?? from,
      password: secrets["token"] ?? "",
      mailbox,
    },
    authservId,
    mostPerHour: rest.most_per_hour,
    ...(sentMailbox === undefined ? {} : { sentMailbox }),
  };
}
