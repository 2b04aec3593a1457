import { setTimeout as pause } from "node:timers/promises";
import type { KeptLine, ToldEnd } from "./history.ts";
import { EventConnection, fetchJson } from "./http-line.ts";
import { promptText, type Talk, TalkRecord } from "./talk.ts";

/** A part of a message, as opencode's API has it. */
interface Part {
  readonly id: string;
  readonly messageID: string;
  readonly type: string;
  readonly text?: string;
  readonly state?: { readonly input?: unknown };
}

interface Message {
  readonly info: { readonly id: string; readonly role: string; readonly error?: { readonly name: string } };
  readonly parts: readonly Part[];
}

interface Event {
  readonly type: string;
  readonly properties: {
    readonly sessionID?: string;
    readonly info?: Message["info"];
    readonly part?: Part;
    readonly messageID?: string;
    readonly partID?: string;
    readonly field?: string;
    readonly delta?: string;
    readonly status?: { readonly type: string };
  };
}

const AGAIN_AFTER_MS = 100;
const TIME_BITS = 48;
let ids = 0;

/** An id as its own clients choose it: by these it sorts messages and their parts. */
function newId(kind: "msg" | "prt"): string {
  ids += 1;
  const time = BigInt.asUintN(TIME_BITS, BigInt(Date.now()) * 4096n + BigInt(ids % 4096));
  return `${kind}_${time.toString(16).padStart(12, "0")}${String(ids).padStart(14, "0")}`;
}

/**
 * A conversation with `opencode serve`. Its events have no cursor: a client that comes back reads the messages again, as its
 * own clients do.
 */
export class OpencodeTalk implements Talk {
  readonly record = new TalkRecord();
  readonly #url: string;
  readonly #session: string;
  /** The ids of prompts and of their texts: one that is sent again has the same. */
  readonly #ids = new Map<number, { readonly messageID: string; readonly id: string }>();
  /** The messages as this client knows them, by id and in their order. */
  #messages = new Map<string, { readonly role: string; readonly parts: Map<string, string> }>();
  #connection: EventConnection | undefined;
  #current = 0;
  #wasBusy = false;
  #isStopped = false;
  #hasFailed = false;
  #isHeld = false;
  #isClosed = false;

  private constructor(url: string, session: string) {
    this.#url = url;
    this.#session = session;
  }

  static async begin(url: string, session: string): Promise<OpencodeTalk> {
    const talk = new OpencodeTalk(url, session);
    const connected = Promise.withResolvers<void>();
    void talk.#follow(connected.resolve);
    await connected.promise;
    return talk;
  }

  async send(number: number, options: { readonly giveUpMs?: number } = {}): Promise<void> {
    const { messageID, id } = this.#ids.get(number) ?? { messageID: newId("msg"), id: newId("prt") };
    this.#ids.set(number, { messageID, id });
    this.#current = number;
    this.#wasBusy = false;
    this.#hasFailed = false;
    this.#isStopped = false;
    await fetchJson(`${this.#url}/session/${this.#session}/prompt_async`, {
      ...options,
      method: "POST",
      body: { messageID, parts: [{ id, type: "text", text: promptText(number) }] },
    });
    this.record.accept(number);
  }

  reconnect(): Promise<void> {
    this.#connection?.close();
    return Promise.resolve();
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#connection?.hold(isHeld);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await fetchJson(`${this.#url}/session/${this.#session}/abort`, { method: "POST" });
  }

  async kept(): Promise<readonly KeptLine[]> {
    return (await this.#read()).flatMap(({ info, parts }) =>
      parts.flatMap(({ type, text = "", state }): readonly KeptLine[] => {
        if (type === "tool") return [{ role: "call", text: JSON.stringify(state?.input) }];
        if (type !== "text") return [];
        return [{ role: info.role === "user" ? "user" : "agent", text }];
      }),
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }

  async #read(): Promise<readonly Message[]> {
    return (await fetchJson(`${this.#url}/session/${this.#session}/message`)) as readonly Message[];
  }

  /** Keeps a connection; each one begins with the messages as they are. */
  async #follow(connected: () => void): Promise<void> {
    for (let isFirst = true; !this.#isClosed; isFirst = false) {
      const early: Event[] = [];
      let isRead = isFirst;
      const connection = new EventConnection(`${this.#url}/event`, {}, ({ data }) => {
        const event = JSON.parse(data) as Event;
        if (event.type === "server.connected") {
          connected();
          if (!isFirst)
            void this.#resume().then(
              () => {
                isRead = true;
                for (const each of early) this.#take(each);
              },
              () => connection.close(),
            );
        } else if (isRead) this.#take(event);
        else early.push(event);
      });
      connection.hold(this.#isHeld);
      this.#connection = connection;
      await connection.over;
      await pause(AGAIN_AFTER_MS);
    }
  }

  /** Reads what there is, after the connection was away. */
  async #resume(): Promise<void> {
    // In this order: messages that are read before the turn ends do not have its end.
    const status = (await fetchJson(`${this.#url}/session/status`)) as Record<string, { type: string }>;
    const messages = await this.#read();
    this.#messages = new Map(
      messages.map(({ info, parts }) => [
        info.id,
        {
          role: info.role,
          parts: new Map(parts.filter(({ type }) => type === "text").map(({ id, text = "" }) => [id, text])),
        },
      ]),
    );
    this.#showAll();
    const isBusy = (status[this.#session]?.type ?? "idle") !== "idle";
    this.#wasBusy ||= isBusy;
    const own = this.#ids.get(this.#current)?.messageID;
    const isThere = messages.some(({ info }) => info.id === own);
    const last = messages.at(-1)?.info;
    if (isBusy || !isThere) return;
    const isAnswered = last?.role === "assistant" && last.error === undefined && isFinished(last);
    this.#end(isAnswered ? "completed" : "failed");
  }

  #take({ type, properties }: Event): void {
    const { part, info, messageID = "", partID = "", field, delta = "" } = properties;
    if (properties.sessionID !== this.#session) return;
    if (type === "message.updated" && info !== undefined) {
      if (info.error !== undefined) this.#hasFailed = true;
      if (!this.#messages.has(info.id)) this.#messages.set(info.id, { role: info.role, parts: new Map() });
    } else if (type === "message.part.updated" && part?.type === "text") {
      this.#messages.get(part.messageID)?.parts.set(part.id, part.text ?? "");
      this.#showAll();
    } else if (type === "message.part.delta" && field === "text") {
      const parts = this.#messages.get(messageID)?.parts;
      if (parts?.has(partID) === true) parts.set(partID, (parts.get(partID) ?? "") + delta);
      // What goes on at the end needs no look at all the text.
      const isLast = [...(parts?.keys() ?? [])].at(-1) === partID;
      if (isLast && [...this.#messages.keys()].at(-1) === messageID) this.record.show(delta);
      else this.#showAll();
    } else if (type === "message.part.removed") {
      this.#messages.get(messageID)?.parts.delete(partID);
      this.#showAll();
    } else if (type === "session.error") this.#hasFailed = true;
    else if (type === "session.status") this.#note(properties.status?.type ?? "");
  }

  #note(status: string): void {
    if (status !== "idle") this.#wasBusy = true;
    else if (this.#wasBusy) this.#end(this.#hasFailed ? "failed" : "completed");
  }

  #end(end: ToldEnd): void {
    this.record.end(this.#current, this.#isStopped ? "stopped" : end);
  }

  /** What stands on the screen: the text of the agent's messages. */
  #showAll(): void {
    const said = [...this.#messages.values()].filter(({ role }) => role === "assistant");
    const text = said.flatMap(({ parts }) => [...parts.values()]).join("\n");
    if (text === this.record.view) return;
    if (text.startsWith(this.record.view)) this.record.show(text.slice(this.record.view.length));
    else this.record.showInstead(text);
  }
}

const isFinished = (info: object): boolean => "finish" in info && info.finish === "stop";
