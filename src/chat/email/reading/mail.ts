import type { Email } from "postal-mime";
import { htmlWords, ownWords } from "../words.ts";

const DEEPEST = 30;
const LARGEST_HEADERS = 256 * 1024;

/** A mail as it was read; a thread can hand it to another one. */
export interface Mail {
  /** In lower case; `undefined` unless it is exactly one. */
  readonly sender: string | undefined;
  readonly senderName: string;
  readonly subject: string;
  readonly messageId: string | undefined;
  /** Ids of the mails before it, the oldest first. */
  readonly references: readonly string[];
  /** What its sender wrote, without what they quote. */
  readonly text: string;
  readonly files: readonly MailFile[];
  /** The topmost first. */
  readonly headers: readonly MailHeader[];
  /** The type of its content, in lower case. */
  readonly contentType: string;
}

/** A line of a mail's head; its name in lower case. */
export interface MailHeader {
  readonly key: string;
  readonly value: string;
}

/** The values of a header, the topmost first. @param name - in lower case */
export const valuesOf = ({ headers }: Pick<Mail, "headers">, name: string): readonly string[] =>
  headers.filter(({ key }) => key === name).map(({ value }) => value);

/** A file of a mail. */
export interface MailFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Reads a mail; `undefined` for what is none. It takes a hundredth of a millisecond for a line, in which nothing else happens. */
export async function parseMail(bytes: Uint8Array): Promise<Mail | undefined> {
  const { default: PostalMime } = await import("postal-mime");
  try {
    return mailOf(
      await PostalMime.parse(bytes, { maxNestingDepth: DEEPEST, maxHeadersSize: LARGEST_HEADERS }),
    );
  } catch {
    // Whoever sends what cannot be read gets no answer.
    return undefined;
  }
}

function mailOf(email: Email): Mail {
  const { from, subject = "", text, html, attachments } = email;
  const headers = email.headers.map(({ key, value }) => ({ key, value }));
  const header = (name: string): readonly string[] => valuesOf({ headers }, name);
  const isOne = header("from").length === 1 && from?.address !== undefined && from.address !== "";
  const [messageId] = idsIn(header("message-id"));
  const before = [...idsIn(header("references")), ...idsIn(header("in-reply-to"))];
  return {
    sender: isOne ? from?.address?.toLowerCase() : undefined,
    senderName: from?.name ?? "",
    subject: subject.replaceAll(/\s+/g, " ").trim(),
    messageId,
    references: [...new Set(before)],
    text: ownWords(text?.trim() ? text : htmlWords(html ?? "")),
    files: attachments.map(fileOf),
    headers,
    contentType: (header("content-type")[0] ?? "").toLowerCase(),
  };
}

const MOST_IDS = 100;

/** The ids in a header: `<left@right>` each. */
const idsIn = (values: readonly string[]): readonly string[] =>
  values.flatMap((value) => value.slice(0, 20_000).match(/<[^<>\s]{1,250}>/g) ?? []).slice(0, MOST_IDS);

const fileOf = ({ filename, mimeType, content }: Email["attachments"][number]): MailFile => ({
  name: filename ?? "file",
  mediaType: mimeType,
  bytes: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer),
});
