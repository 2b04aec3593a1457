import type { Transporter } from "nodemailer";
import { defined } from "../../shared/json/defined.ts";
import { messageOf, HostError } from "../../shared/errors/host-error.ts";
import { deliverableText } from "./deliverable-text.ts";

/** An account that sends mail. */
export interface MailAccount {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise it begins on the way when the server offers it. */
  readonly secure: boolean;
  readonly user?: string;
  readonly password?: string;
}

/** A mail that goes out. */
interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for every try: many servers then keep one. */
  readonly messageId: string;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array };
}

const TIMEOUT_MS = 30_000;

/** Sends a mail through the owner's server. @throws HostError `delivery_failed`, `unauthorized`, `invalid_params` */
export async function sendMail(
  account: MailAccount,
  { subject, text, references, headers, file, ...mail }: OutgoingMail,
): Promise<void> {
  await withTransport(account, async (transport) => {
    await transport.sendMail({
      ...mail,
      subject: headerText(subject),
      text: deliverableText(text),
      ...defined({
        references: references === undefined ? undefined : [...references],
        headers: headers === undefined ? undefined : { ...headers },
        attachments: file && [
          { filename: file.name, contentType: file.mediaType, content: Buffer.from(file.bytes) },
        ],
      }),
    });
  });
}

/** Proves that the server takes the account. @throws HostError as `sendMail` says */
export async function verifyMailServer(account: MailAccount): Promise<void> {
  await withTransport(account, async (transport) => {
    await transport.verify();
  });
}

async function withTransport(
  { host, port, secure, user, password = "" }: MailAccount,
  work: (transport: Transporter) => Promise<void>,
): Promise<void> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port,
    secure,
    ...defined({ auth: user === undefined ? undefined : { user, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await work(transport);
  } catch (cause) {
    throw refusal(cause);
  } finally {
    transport.close();
  }
}

const headerText = (text: string): string =>
  deliverableText(text).replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed();

function refusal(cause: unknown): HostError {
  const { responseCode: status = 0, syscall = "", code = "" } = smtpError(cause);
  const message = `email: ${messageOf(cause).slice(0, 300)}`;
  if (code === "EAUTH") return new HostError("unauthorized", message, { cause });
  // 5xx is the server's last word.
  if (status >= 500) return new HostError("invalid_params", message, { cause });
  // A connection that breaks may have carried all of it; one that was never made, or a refusal, has not.
  const isUnknown = status === 0 && !["connect", "getaddrinfo"].includes(syscall);
  return new HostError("delivery_failed", message, {
    cause,
    details: defined({ uncertain: isUnknown ? (true as const) : undefined }),
  });
}

interface SmtpError {
  readonly responseCode?: number;
  readonly code?: string;
  readonly syscall?: string;
}

// What the library throws has these beside the message.
const smtpError = (cause: unknown): SmtpError => (cause instanceof Error ? (cause as Error & SmtpError) : {});
