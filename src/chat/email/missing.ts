/** Why mails cannot be received with these settings; `undefined` when they can. */
export function missingToReceive(extra: Readonly<Record<string, unknown>>): string | undefined {
  if (extra["imap_host"] === undefined)
    return "platforms.email.extra.imap_host is not set: it is the IMAP server of the mailbox.";
  if (extra["authserv_id"] === undefined)
    return "platforms.email.extra.authserv_id is not set: it is the first word of the header Authentication-Results that your mail server writes, by which senders are known to be who they say.";
  return undefined;
}
