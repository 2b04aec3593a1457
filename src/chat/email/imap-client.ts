import { type Clock, sleep } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ByteStream, OpenStream } from "../port/byte-stream.ts";
import { ImapReader, type ImapResponse, type ImapValue, imapValues } from "./imap-reader.ts";
import type { ImapAccount } from "./settings.ts";

const COMMAND_MS = 60_000;

/** A mailbox that was opened. */
export interface OpenedMailbox {
  /** The numbers of its messages hold for as long as this is the same. */
  readonly validity: string;
  /** The number that the next message gets. */
  readonly next: number;
}

/** A message as it is kept, or the beginning of one that is too large. */
export interface StoredMail {
  /** Bytes of all of it. */
  readonly size: number;
  readonly bytes: Buffer;
}

/** The options of a connection to an IMAP server. */
export interface ImapOptions {
  readonly account: ImapAccount;
  readonly open: OpenStream;
  readonly clock: Clock;
  /** Bytes of a message that are got at most. */
  readonly largest: number;
  readonly signal: AbortSignal;
}

/** Connects to an IMAP server and signs in. @throws HostError `fetch_failed`, `unauthorized` */
export async function openImap(options: ImapOptions): Promise<ImapClient> {
  const { account, open, signal } = options;
  const { host, port, security } = account;
  const stream = await open({ host, port, tls: security === "tls" }, signal);
  const client = new ImapClient(stream, options);
  try {
    await client.begin(account);
    return client;
  } catch (thrown) {
    client[Symbol.dispose]();
    throw thrown;
  }
}

/**
 * One connection to an IMAP server, with the few commands that are needed: https://www.rfc-editor.org/rfc/rfc9051. It
 * carries out one after the other.
 */
export class ImapClient implements Disposable {
  readonly #stream: ByteStream;
  readonly #options: ImapOptions;
  #reader: ImapReader;
  #capabilities: ReadonlySet<string> = new Set();
  #tags = 0;
  #pending: Promise<ImapResponse> | undefined;
  /** Messages came that nobody has looked for. */
  #hasNews = false;

  constructor(stream: ByteStream, options: ImapOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#reader = this.#newReader();
  }

  /** Reads the greeting, begins TLS where that is wanted, and signs in. */
  async begin({ security, user, password }: ImapAccount): Promise<void> {
    const { text } = await this.#next(COMMAND_MS);
    if (!/^\* OK\b/i.test(text)) throw refused("the greeting", text);
    if (security === "starttls") {
      await this.#command("STARTTLS");
      if (!this.#reader.isEmpty)
        throw new HostError("fetch_failed", "email: somebody wrote into the connection before TLS began.");
      await this.#stream.startTls();
      this.#reader = this.#newReader();
    }
    await this.#askCapabilities();
    try {
      if (this.#capabilities.has("AUTH=PLAIN")) await this.#authenticate(user, password);
      else await this.#command(`LOGIN ${quoted(user)} ${quoted(password)}`);
    } catch (thrown) {
      if (!(thrown instanceof HostError) || thrown.code !== "invalid_params") throw thrown;
      throw new HostError("unauthorized", "email: the mail server refuses the user or the password.", {
        cause: thrown,
      });
    }
    await this.#askCapabilities();
  }

  /** Opens a mailbox. @param readOnly - nothing of it is changed */
  async select(mailbox: string, readOnly = false): Promise<OpenedMailbox> {
    const answers = await this.#command(`${readOnly ? "EXAMINE" : "SELECT"} ${quoted(mailbox)}`);
    const number = (name: string): string | undefined =>
      answers
        .map(({ text }) => new RegExp(`^\\* OK \\[${name} (\\d+)\\]`, "i").exec(text)?.[1])
        .find((each) => each !== undefined);
    const validity = number("UIDVALIDITY");
    if (validity === undefined) throw refused("SELECT", "it names no UIDVALIDITY");
    return { validity, next: Number(number("UIDNEXT") ?? 1) };
  }

  /** The numbers of messages, rising. @param query - as `UID SEARCH` takes it */
  async search(query: string): Promise<readonly number[]> {
    this.#hasNews = false;
    const answers = await this.#command(`UID SEARCH ${query}`);
    return answers
      .flatMap(({ text }) => /^\* SEARCH((?: \d+)*)/i.exec(text)?.[1]?.trim().split(" ") ?? [])
      .filter((each) => each !== "")
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** Gets a message without marking it; `undefined` when it is not there any more. */
  async fetch(uid: number): Promise<StoredMail | undefined> {
    const { largest } = this.#options;
    const answers = await this.#command(`UID FETCH ${uid} (RFC822.SIZE BODY.PEEK[]<0.${largest}>)`);
    for (const answer of answers) {
      if (!/^\* \d+ FETCH \(/i.test(answer.text)) continue;
      const fields = fieldsOf(imapValues(answer)[3]);
      const body = fields.get("BODY[]<0>") ?? fields.get("BODY[]");
      if (fields.get("UID") !== String(uid) || body === undefined || Array.isArray(body)) continue;
      const bytes = typeof body === "string" ? Buffer.from(body) : (body as Buffer);
      return { size: Math.max(bytes.length, Number(fields.get("RFC822.SIZE")) || 0), bytes };
    }
    return undefined;
  }

  /** Marks a message as read. */
  async markSeen(uid: number): Promise<void> {
    await this.#command(`UID STORE ${uid} +FLAGS.SILENT (\\Seen)`);
  }

  /** Waits for new messages, at most so long; where the server cannot tell of them, it is asked once. */
  async waitForNews(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#hasNews) return;
    if (!this.#capabilities.has("IDLE")) {
      await sleep(clock, Math.min(ms, POLL_MS), signal);
      await this.#command("NOOP");
      return;
    }
    const tag = this.#newTag();
    await this.#stream.write(`${tag} IDLE\r\n`);
    const until = clock.monotonic() + ms;
    for (let isIdling = false, isDone = false; ;) {
      const left = isIdling && !isDone ? until - clock.monotonic() : COMMAND_MS;
      const answer = await this.#within(left);
      if (answer === undefined && (isDone || !isIdling)) throw silent();
      if (answer?.text.startsWith(`${tag} `) === true)
        return checkDone("IDLE", answer.text.slice(tag.length + 1));
      if (answer !== undefined) this.#note(answer);
      isIdling ||= answer?.text.startsWith("+") === true;
      if (isDone || !isIdling || (answer !== undefined && !this.#hasNews)) continue;
      isDone = true;
      await this.#stream.write("DONE\r\n");
    }
  }

  [Symbol.dispose](): void {
    this.#stream.close();
  }

  #newReader(): ImapReader {
    return new ImapReader(this.#stream, this.#options.largest + 1024);
  }

  #newTag(): string {
    this.#tags += 1;
    return `a${this.#tags}`;
  }

  async #askCapabilities(): Promise<void> {
    const answers = await this.#command("CAPABILITY");
    const line = answers.map(({ text }) => /^\* CAPABILITY (.*)/i.exec(text)?.[1]).find(Boolean) ?? "";
    this.#capabilities = new Set(line.toUpperCase().split(" "));
  }

  /** https://www.rfc-editor.org/rfc/rfc4616 */
  async #authenticate(user: string, password: string): Promise<void> {
    const secret = Buffer.from(`\0${user}\0${password}`).toString("base64");
    await this.#command("AUTHENTICATE PLAIN", secret);
  }

  /** Carries out a command; gives what the server told meanwhile. @param more - sent when the server asks to go on */
  async #command(command: string, more?: string): Promise<readonly ImapResponse[]> {
    const tag = this.#newTag();
    await this.#stream.write(`${tag} ${command}\r\n`);
    const answers: ImapResponse[] = [];
    for (;;) {
      const answer = await this.#next(COMMAND_MS);
      if (answer.text.startsWith("+") && more !== undefined) {
        await this.#stream.write(`${more}\r\n`);
      } else if (answer.text.startsWith(`${tag} `)) {
        checkDone(command, answer.text.slice(tag.length + 1));
        return answers;
      } else {
        this.#note(answer);
        answers.push(answer);
      }
    }
  }

  #note({ text }: ImapResponse): void {
    if (/^\* \d+ EXISTS\b/i.test(text)) this.#hasNews = true;
    if (/^\* BYE\b/i.test(text) && this.#tags > 0)
      throw new HostError("fetch_failed", `The mail server ends the connection: ${text.slice(0, 200)}`);
  }

  async #next(ms: number): Promise<ImapResponse> {
    const answer = await this.#within(ms);
    if (answer === undefined) throw silent();
    return answer;
  }

  /** The next answer, when it comes in time; otherwise it is there for whoever asks next. */
  async #within(ms: number): Promise<ImapResponse | undefined> {
    const { clock, signal } = this.#options;
    this.#pending ??= this.#reader.next();
    const heard = new AbortController();
    const late = sleep(clock, Math.max(0, ms), AbortSignal.any([signal, heard.signal])).then(() => undefined);
    try {
      const answer = await Promise.race([this.#pending, late]);
      if (answer !== undefined) this.#pending = undefined;
      signal.throwIfAborted();
      return answer;
    } finally {
      heard.abort();
    }
  }
}

const POLL_MS = 60_000;

const silent = (): HostError => new HostError("fetch_failed", "The mail server does not answer.");

const refused = (command: string, text: string): HostError =>
  new HostError("invalid_params", `email: the mail server refuses ${command}: ${text.slice(0, 200)}`);

function checkDone(command: string, text: string): void {
  if (!/^OK\b/i.test(text)) throw refused(command.split(" ")[0] ?? "", text);
}

/** A text between quotes. @throws HostError `config_invalid` for one that cannot stand there */
function quoted(text: string): string {
  if (/^[\x20-\x7E]*$/.test(text)) return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
  throw new HostError(
    "config_invalid",
    "email: the user, the password and the names of mailboxes must be plain ASCII for this mail server.",
  );
}

function fieldsOf(values: ImapValue): ReadonlyMap<string, ImapValue> {
  const fields = new Map<string, ImapValue>();
  if (!Array.isArray(values)) return fields;
  for (let at = 0; at + 1 < values.length; at += 2)
    fields.set(String(values[at]).toUpperCase(), values[at + 1]);
  return fields;
}
