import { defined } from "../../shared/json/defined.ts";
import { messageOf, HostError } from "../../shared/errors/host-error.ts";
import { deliverableText } from "./deliverable-text.ts";
import { MESSAGE_RETRY_MS } from "./platform-sender.ts";

/** An account that sends mail. */
export interface MailAccount {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise it begins on the way when the server offers it. */
  readonly secure: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly from: string;
  /** Where texts go that name no address. */
  readonly home?: string;
}

interface Mail {
  readonly id: string;
  readonly target: { readonly chatId?: string };
  readonly text: string;
  readonly subject?: string;
}

const TIMEOUT_MS = 30_000;

/** Sends texts as mail, through the owner's server. */
export function mailSender(account: MailAccount) {
  return {
    retryMs: MESSAGE_RETRY_MS,
    async send({ id, target, text, subject }: Mail): Promise<void> {
      const to = target.chatId ?? account.home;
      if (to === undefined) {
        throw new HostError(
          "config_invalid",
          "email has no home: set platforms.email.home_channel, or name an address as email:<address>.",
        );
      }
      const { createTransport } = await import("nodemailer");
      const { host, port, secure, user, password, from } = account;
      const transport = createTransport({
        host,
        port,
        secure,
        ...defined({ auth: user === undefined ? undefined : { user, pass: password ?? "" } }),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        // The same id for every try: many servers then keep one.
        const messageId = `<${id.replaceAll(/[^\w.-]/g, "-")}@agent-host>`;
        await transport.sendMail({
          from,
          to,
          subject: headerText(subject ?? "Message from the agent"),
          text: deliverableText(text),
          messageId,
        });
      } catch (cause) {
        throw refusal(cause);
      } finally {
        transport.close();
      }
    },
  };
}

const headerText = (text: string): string =>
  deliverableText(text).replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed();

function refusal(cause: unknown): HostError {
  const message = messageOf(cause);
  const status = cause instanceof Error && "responseCode" in cause ? Number(cause.responseCode) : 0;
  // 5xx is the server's last word.
  return new HostError(
    status >= 500 ? "invalid_params" : "delivery_failed",
    `email: ${message.slice(0, 300)}`,
    { cause },
  );
}
