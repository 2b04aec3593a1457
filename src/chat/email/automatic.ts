import { type Mail, valuesOf } from "./reading/mail.ts";

const NOBODY = /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+@-]|$)/i;

/**
 * Whether a mail was written by a program, a list or this agent: an answer to it could be answered again for ever.
 * https://www.rfc-editor.org/rfc/rfc3834
 */
export function isAutomatic(mail: Mail): boolean {
  const { sender = "", contentType } = mail;
  const first = (name: string): string => (valuesOf(mail, name)[0] ?? "").trim().toLowerCase();
  const submitted = first("auto-submitted");
  return (
    sender === "" ||
    NOBODY.test(sender) ||
    (submitted !== "" && !submitted.startsWith("no")) ||
    /^(?:bulk|junk|list|auto_reply)/.test(first("precedence")) ||
    ["list-id", "list-unsubscribe", "x-autoreply", "x-autorespond"].some(
      (name) => valuesOf(mail, name).length > 0,
    ) ||
    !["", "none"].includes(first("x-auto-response-suppress")) ||
    first("return-path") === "<>" ||
    contentType.startsWith("multipart/report")
  );
}

/** The ids of mails of ours that a mail says were not delivered: https://www.rfc-editor.org/rfc/rfc3464 */
export function bouncedIds(
  { contentType, files, text }: Mail,
  isOwn: (id: string) => boolean,
): readonly string[] {
  if (!contentType.startsWith("multipart/report") || !contentType.includes("delivery-status")) return [];
  const all = [text, ...files.map(({ bytes }) => Buffer.from(bytes.subarray(0, LOOKED_AT)).toString("utf8"))];
  const failed = all.some((each) => /^action:\s*failed/im.test(each.slice(0, LOOKED_AT)));
  const ids = all.flatMap((each) => each.slice(0, LOOKED_AT).match(/<[^<>\s]{1,250}>/g) ?? []);
  return failed ? [...new Set(ids.filter(isOwn))] : [];
}

const LOOKED_AT = 64 * 1024;
