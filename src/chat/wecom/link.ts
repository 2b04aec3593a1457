import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, readForeignObject } from "../../shared/json/json.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { ChatSocket } from "../port/transport.ts";
import { wecomRefusal } from "./refusal.ts";

const PING_MS = 30_000;
/** As long as a request over HTTP may take. */
const ANSWER_MS = 30_000;

/** A frame, as far as it is read. */
export interface WecomFrame {
  readonly cmd: string;
  readonly id: string;
  readonly body: unknown;
  readonly read: Readonly<Record<string, unknown>>;
}

interface Pending {
  readonly resolve: (frame: WecomFrame) => void;
  readonly reject: (error: HostError) => void;
}

/**
 * The long connection of an AI bot, frames of JSON with an id for each request:
 * https://developer.work.weixin.qq.com/document/path/101463. A bot has one connection: a new one ends the old one.
 */
export class WecomLink {
  readonly #socket: ChatSocket;
  readonly #frames: AsyncIterator<string>;
  readonly #ports: Pick<ChannelPorts, "clock" | "random">;
  readonly #pending = new Map<string, Pending>();
  #cancelPing: () => void = () => undefined;
  #isOver = false;
  #nextId = 1;

  constructor(socket: ChatSocket, ports: Pick<ChannelPorts, "clock" | "random">) {
    this.#socket = socket;
    this.#ports = ports;
    this.#frames = socket[Symbol.asyncIterator]();
  }

  /** Proves who it is. Nothing else is read meanwhile. @throws HostError `unauthorized` */
  async subscribe(botId: string, secret: string): Promise<void> {
    const id = this.#send("aibot_subscribe", { bot_id: botId, secret });
    for (;;) {
      const frame = await this.#next();
      if (frame === undefined) throw lost();
      if (frame.id !== id) continue;
      const { errcode, errmsg } = frame.read;
      if (errcode !== 0)
        throw new HostError(
          "unauthorized",
          `wecom: the bot is not let in: ${String(errmsg)} (${String(errcode)})`,
        );
      this.#ping();
      return;
    }
  }

  /** Gives what comes, until the connection ends; answers go to those who wait for them. */
  async *callbacks(alive: () => void): AsyncGenerator<WecomFrame, void> {
    try {
      for (let frame = await this.#next(); frame !== undefined; frame = await this.#next()) {
        alive();
        if (frame.cmd !== "") yield frame;
        this.#pending.get(frame.id)?.resolve(frame);
      }
    } finally {
      this.close();
    }
  }

  /**
   * Makes a request; gives the body of its answer.
   *
   * @param reqId - that of what it answers; a new one by default
   * @throws HostError as `Channel` says
   */
  async request(cmd: string, body: object, reqId?: string): Promise<unknown> {
    if (this.#isOver) throw new HostError("delivery_failed", "wecom: the bot is not connected.");
    const id = this.#send(cmd, body, reqId);
    const { promise, resolve, reject } = Promise.withResolvers<WecomFrame>();
    this.#pending.set(id, { resolve, reject });
    const late = AbortSignal.timeout(ANSWER_MS);
    const giveUp = (): void => reject(uncertain("there was no answer"));
    late.addEventListener("abort", giveUp, { once: true });
    try {
      const { read, body: answer } = await promise;
      if (read["errcode"] !== 0) throw wecomRefusal(read);
      return answer;
    } finally {
      late.removeEventListener("abort", giveUp);
      this.#pending.delete(id);
    }
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelPing();
    this.#socket.close();
    this.#doubt("the connection broke");
  }

  /** Whatever waits for an answer may have been carried out. */
  #doubt(why: string): void {
    for (const { reject } of this.#pending.values()) reject(uncertain(why));
    this.#pending.clear();
  }

  #send(cmd: string, body: object | undefined, reqId?: string): string {
    const chance = Math.floor(this.#ports.random() * 1e9).toString(36);
    const id = reqId ?? `${cmd}_${this.#ports.clock.now().toString(36)}${chance}${this.#nextId}`;
    this.#nextId += 1;
    this.#socket.send(JSON.stringify({ cmd, headers: { req_id: id }, ...(body && { body }) }));
    return id;
  }

  #ping(): void {
    this.#cancelPing = this.#ports.clock.after(PING_MS, () => {
      this.#send("ping", undefined);
      this.#ping();
    });
  }

  /** The next frame that can be read. */
  async #next(): Promise<WecomFrame | undefined> {
    for (;;) {
      const { done = false, value } = await this.#frames.next();
      if (done) return undefined;
      const read = readForeignObject(String(value));
      const { cmd, headers, body } = read;
      const id = isJsonObject(headers) ? headers["req_id"] : undefined;
      if (typeof id === "string") return { cmd: typeof cmd === "string" ? cmd : "", id, body, read };
      // It may have been the answer to any of them.
      this.#doubt("an answer could not be read");
    }
  }
}

const lost = (): HostError => new HostError("fetch_failed", "wecom: the connection was closed.");

const uncertain = (why: string): HostError =>
  new HostError("delivery_failed", `wecom: ${why}.`, { details: { uncertain: true } });
