import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

interface Kept {
  readonly uid: number;
  readonly bytes: Buffer;
  isSeen: boolean;
}

/** An IMAP server on 127.0.0.1 with one mailbox, as https://www.rfc-editor.org/rfc/rfc9051 says it is, as far as a client needs it. */
export class FakeImap {
  readonly mails: Kept[] = [];
  /** Other mailboxes, by their names: the ids of their mails. */
  readonly others = new Map<string, string[]>();
  /** Commands that came, without their tags. */
  readonly commands: string[] = [];
  validity = 7;
  capabilities = "IMAP4rev1 IDLE AUTH=PLAIN";
  /** Greeting in place of the usual one. */
  greeting = "* OK ready";
  readonly #told: { readonly seen: () => void; readonly heard: () => void };
  readonly #server: Server;
  readonly #sessions = new Set<Session>();
  #nextUid = 1;

  /** @param told - called when a mail was marked as read, and when a command came */
  constructor(told: { readonly seen: () => void; readonly heard: () => void }) {
    this.#told = told;
    this.#server = createServer({ noDelay: true }, (socket) => {
      const session = new Session(this, socket);
      this.#sessions.add(session);
      socket.on("close", () => this.#sessions.delete(session));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#sessions.size;
  }

  get nextUid(): number {
    return this.#nextUid;
  }

  /** A mail comes in. */
  deliver(mail: string | Buffer): void {
    const bytes = typeof mail === "string" ? Buffer.from(mail.replaceAll(/\r?\n/g, "\r\n")) : mail;
    this.mails.push({ uid: this.#nextUid++, bytes, isSeen: false });
    for (const session of this.#sessions) session.tellExists();
  }

  /** The server numbers its mails anew. */
  renumber(): void {
    this.validity += 1;
    this.#nextUid = 100;
    for (const [index, mail] of this.mails.entries()) this.mails[index] = { ...mail, uid: this.#nextUid++ };
    this.cut();
  }

  /** Connections break. */
  cut(): void {
    for (const session of this.#sessions) session.end();
  }

  seen(uid: number): void {
    const mail = this.mails.find((each) => each.uid === uid);
    if (mail !== undefined) mail.isSeen = true;
    this.#told.seen();
  }

  heard(command: string): void {
    this.commands.push(command);
    this.#told.heard();
  }

  async close(): Promise<void> {
    this.cut();
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** One connection. */
class Session {
  readonly #imap: FakeImap;
  readonly #socket: Socket;
  #idleTag = "";
  #authTag = "";
  #isSelected = false;
  #told = 0;

  constructor(imap: FakeImap, socket: Socket) {
    this.#imap = imap;
    this.#socket = socket;
    let rest = "";
    socket.on("error", () => undefined);
    socket.write(`${imap.greeting}\r\n`);
    socket.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#line(line);
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  /** A server tells of news only while a command is under way. */
  tellExists(): void {
    if (this.#idleTag !== "") this.#exists();
  }

  #exists(): void {
    const { length } = this.#imap.mails;
    if (!this.#isSelected || this.#told === length) return;
    this.#told = length;
    this.#socket.write(`* ${length} EXISTS\r\n`);
  }

  #line(line: string): void {
    if (this.#authTag !== "") {
      const [, user, password] = Buffer.from(line, "base64").toString("utf8").split("\0");
      const isRight = user === "agent" && password === "secret";
      this.#socket.write(`${this.#authTag} ${isRight ? "OK" : "NO [AUTHENTICATIONFAILED]"} done\r\n`);
      this.#authTag = "";
      return;
    }
    if (line === "DONE") {
      this.#socket.write(`${this.#idleTag} OK idle is over\r\n`);
      this.#idleTag = "";
      return;
    }
    const [tag = "", ...words] = line.split(" ");
    const command = words.join(" ");
    this.#carryOut(tag, command);
    this.#imap.heard(command);
  }

  #carryOut(tag: string, command: string): void {
    const say = (text: string): void => void this.#socket.write(`${text}\r\n`);
    const done = (): void => say(`${tag} OK done`);
    const { mails, validity, capabilities, others } = this.#imap;
    if (command === "CAPABILITY") say(`* CAPABILITY ${capabilities}`);
    else if (command === "AUTHENTICATE PLAIN") {
      this.#authTag = tag;
      return say("+ ");
    } else if (command.startsWith("LOGIN")) {
      if (command !== 'LOGIN "agent" "secret"') return say(`${tag} NO no`);
    } else if (/^(?:SELECT|EXAMINE) /.test(command)) {
      const name = /"(.*)"$/.exec(command)?.[1] ?? "";
      if (name !== "INBOX" && !others.has(name)) return say(`${tag} NO there is no such mailbox`);
      this.#isSelected = name === "INBOX";
      this.#told = mails.length;
      say(`* ${mails.length} EXISTS`);
      say(`* OK [UIDVALIDITY ${validity}] valid`);
      say(`* OK [UIDNEXT ${this.#imap.nextUid}] next`);
    } else if (command.startsWith("UID SEARCH")) this.#search(command);
    else if (command.startsWith("UID FETCH")) this.#fetch(command);
    else if (command.startsWith("UID STORE")) this.#imap.seen(Number(command.split(" ")[2]));
    else if (command === "IDLE") {
      this.#idleTag = tag;
      say("+ idling");
      return this.#exists();
    } else if (command !== "NOOP") return say(`${tag} BAD what`);
    this.#exists();
    done();
  }

  #search(command: string): void {
    const { mails, others } = this.#imap;
    const id = /HEADER MESSAGE-ID "(.*)"$/.exec(command)?.[1];
    const from = Number(/UID (\d+):\*$/.exec(command)?.[1] ?? 1);
    const inOthers = [...others.values()].flat();
    const found =
      id !== undefined
        ? inOthers.flatMap((each, index) => (each === id ? [index + 1] : []))
        : mails
            // `n:*` names the last mail also when its number is lower.
            .filter(({ uid, isSeen }, index) =>
              command.endsWith("UNSEEN") ? !isSeen : uid >= from || index === mails.length - 1,
            )
            .map(({ uid }) => uid);
    this.#socket.write(`* SEARCH${found.map((uid) => ` ${uid}`).join("")}\r\n`);
  }

  #fetch(command: string): void {
    const [, uid, most] = /^UID FETCH (\d+) \(RFC822\.SIZE BODY\.PEEK\[\]<0\.(\d+)>\)$/.exec(command) ?? [];
    const at = this.#imap.mails.findIndex((each) => each.uid === Number(uid));
    const mail = this.#imap.mails[at];
    if (mail === undefined) return;
    const part = mail.bytes.subarray(0, Number(most));
    this.#socket.write(
      `* ${at + 1} FETCH (FLAGS (\\Recent "a \\"quoted\\" one") UID ${uid} RFC822.SIZE ${mail.bytes.length} BODY[]<0> {${part.length}}\r\n`,
    );
    this.#socket.write(part);
    this.#socket.write(")\r\n");
  }
}
