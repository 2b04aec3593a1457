import PostalMime from "postal-mime";
import { endWithTest } from "../../kit/end-with-test.ts";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { Faults } from "../kit/faults.ts";
import { FakeImap } from "./fake-imap.ts";
import { FakeSmtp, type SmtpVerdict } from "./fake-smtp.ts";

/** The name by which the fake's server says what it found out. */
export const AUTHSERV = "mx.example.org";
/** The bot's address. */
export const OWN_ADDRESS = "agent@example.org";

/** A mail as somebody sends it. */
export interface FakeMail {
  readonly from?: string;
  readonly text?: string;
  readonly subject?: string;
  readonly id?: string;
  /** The id of the mail that it answers. */
  readonly answers?: string;
  /** Header lines above the others, in place of what the server says about its sender. */
  readonly proof?: string;
  /** Further header lines. */
  readonly more?: string;
  /** The words in it, where the text is more than that. */
  readonly words?: string;
}

/** What the server says about a mail that comes from where it says. */
export const proofOf = (from: string): string =>
  `Authentication-Results: ${AUTHSERV};\r\n dmarc=pass (p=NONE) header.from=${from.split("@")[1] ?? ""}`;

/** What is told of a mailbox: somebody asked for something, and a mail was marked as read. */
export interface MailboxListener {
  readonly heard: () => void;
  readonly seen: () => void;
}

/** A mailbox behind an IMAP server on 127.0.0.1, user `agent`, password `secret`. */
export interface Mailbox {
  readonly port: number;
  /** Somebody waits for new mails. */
  isRead(): boolean;
  /** Mails that nobody has marked as read. */
  unseen(): number;
  deliver(mail: Uint8Array): void;
  close(): Promise<void>;
}

/** A mail account on 127.0.0.1: what comes in is in its IMAP server, what goes out is seen by whom it is for. */
export class FakeEmail implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  readonly imap: FakeImap;
  /** Mails of the bot, as they were read. */
  readonly sent: Awaited<ReturnType<typeof PostalMime.parse>>[] = [];
  readonly #options: FakeOptions;
  readonly #smtp: FakeSmtp;
  /** In place of the fake of an IMAP server. */
  #mailbox: Mailbox | undefined;
  readonly #roots = new Map<string, string>();
  #fresh: { readonly from: string; readonly bytes: Buffer }[] = [];
  #nextId = 1;
  #parsing: Promise<void> = Promise.resolve();

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.imap = new FakeImap(this.#told);
    this.#smtp = new FakeSmtp((to, mail) => this.#take(to, mail));
  }

  /** @param mailbox - opens that of another IMAP server than the fake */
  static async start(
    options: FakeOptions = {},
    mailbox?: (listener: MailboxListener) => Promise<Mailbox>,
  ): Promise<FakeEmail> {
    const fake = new FakeEmail(options);
    fake.#mailbox = await mailbox?.(fake.#told);
    await Promise.all([fake.imap.listen(), fake.#smtp.listen()]);
    endWithTest(() => void fake[Symbol.asyncDispose]());
    return fake;
  }

  get account() {
    return {
      baseUrl: `smtp://127.0.0.1:${this.#smtp.port}`,
      secrets: { token: "secret" },
      user: "agent",
      from: `The agent <${OWN_ADDRESS}>`,
      extra: this.#extra,
    };
  }

  get block() {
    const { from, user } = this.account;
    return { host: "127.0.0.1", port: this.#smtp.port, secure: false, user, from, extra: this.#extra };
  }

  get env() {
    return { EMAIL_PASSWORD: "secret" };
  }

  get unconfirmed(): number {
    const unseen = this.#mailbox?.unseen() ?? this.imap.mails.filter(({ isSeen }) => !isSeen).length;
    return this.#fresh.length + unseen;
  }

  /** A mail account reads from when it was first opened on. */
  async listened(): Promise<void> {
    await this.history.until(() => this.#mailbox?.isRead() ?? this.imap.commands.includes("IDLE"));
  }

  say(person: number, text: string): string {
    return this.#inThread(`p${person}@example.com`, text);
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const body = [
      "--b",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      base64(Buffer.from(text)),
      "--b",
      `Content-Type: ${mediaType}`,
      `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}`,
      "Content-Transfer-Encoding: base64",
      "",
      base64(Buffer.from(bytes)),
      "--b--",
    ].join("\r\n");
    const more = "Content-Type: multipart/mixed; boundary=b";
    return this.#inThread(`p${person}@example.com`, body, { more, words: text });
  }

  sayInThread(thread: number, text: string): string {
    return this.#inThread(`t${thread}@example.com`, text);
  }

  /** Somebody sends a mail; gives its id. */
  send({
    from = "ann@example.com",
    text = "",
    subject = "",
    id,
    answers,
    proof,
    more = "",
    words = text,
  }: FakeMail): string {
    const messageId = id ?? `<m${this.#nextId++}@example.com>`;
    const lines = [
      proof ?? proofOf(from),
      `From: Ann <${from}>`,
      `To: ${OWN_ADDRESS}`,
      `Subject: ${subject}`,
      `Message-ID: ${messageId}`,
      ...(answers === undefined ? [] : [`In-Reply-To: ${answers}`, `References: ${answers}`]),
      "MIME-Version: 1.0",
      ...(more === "" ? [] : [more]),
      ...(/^content-type:/im.test(more) ? [] : ["Content-Type: text/plain; charset=utf-8"]),
      ...(/^content-/im.test(more)
        ? ["", text]
        : ["Content-Transfer-Encoding: base64", "", base64(Buffer.from(text))]),
    ];
    this.history.add({ id: messageId, place: `${from}/${answers ?? messageId}`, by: "person", text: words });
    this.#fresh.push({ from, bytes: Buffer.from(lines.join("\r\n")) });
    if (this.#fresh.length === 1) setImmediate(() => this.#flush());
    return messageId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.imap.close(), this.#smtp.close(), this.#mailbox?.close()]);
  }

  get #told(): MailboxListener {
    return {
      heard: () => this.history.changed(),
      seen: () => {
        this.#options.onRequest?.("seen", "before");
        this.#options.onRequest?.("seen", "after");
      },
    };
  }

  get #extra() {
    return {
      imap_host: "127.0.0.1",
      imap_port: (this.#mailbox ?? this.imap).port,
      imap_security: "none",
      authserv_id: AUTHSERV,
      most_per_hour: 100_000,
    };
  }

  /** All mails of somebody are one thread. */
  #inThread(from: string, text: string, mail: FakeMail = {}): string {
    const root = this.#roots.get(from);
    const id = this.send({ ...mail, from, text, ...(root === undefined ? {} : { answers: root }) });
    if (root === undefined) this.#roots.set(from, id);
    return `${from}/${root ?? id}`;
  }

  /** What happened together comes with its faults; of one sender in its order all the same. */
  #flush(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const { bytes } of this.faults.inOrder(fresh, ({ from }) => from))
      (this.#mailbox ?? this.imap).deliver(bytes);
  }

  #take(to: string, mail: Buffer): SmtpVerdict {
    this.#options.onRequest?.("mail", "before");
    setImmediate(() => this.#options.onRequest?.("mail", "after"));
    const fault = this.faults.ofRequest();
    if (fault === "drop" || fault === "limit") return fault;
    this.#parsing = this.#parsing.then(() => this.#show(to, mail));
    return fault ?? "take";
  }

  async #show(to: string, bytes: Buffer): Promise<void> {
    const mail = await PostalMime.parse(bytes);
    this.sent.push(mail);
    const root = /<[^<>]+>/.exec(mail.references ?? "")?.[0];
    const id = mail.messageId ?? "";
    const files = mail.attachments.map(({ filename }) => filename ?? "");
    for (const { filename, content } of mail.attachments)
      this.history.received.push({ name: filename ?? "", bytes: Buffer.from(content as ArrayBuffer) });
    this.history.add({
      id,
      place: root === undefined ? to : `${to}/${root}`,
      by: "bot",
      text: (mail.text ?? "").trim(),
      files,
    });
  }
}

const base64 = (bytes: Buffer): string => (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");
