import { setTimeout as pause } from "node:timers/promises";
import { BENCH_KEY } from "../http-load.ts";
import { promptName, type KeptLine, type ToldEnd } from "./history.ts";
import { EventConnection, fetchJson } from "./http-line.ts";
import { promptText, type Talk, TalkRecord } from "./talk.ts";

const AUTHORIZATION = { authorization: `Bearer ${BENCH_KEY}` };
const AGAIN_AFTER_MS = 100;
const ENDS: Readonly<Record<string, ToldEnd>> = {
  "run.completed": "completed",
  "run.failed": "failed",
  "run.interrupted": "failed",
  "run.cancelled": "stopped",
};

/** Where a client of a host sends, and where it reads: in a cluster at different hosts. */
export interface OwnPlaces {
  send(): string;
  read(): string;
}

/** A conversation by runs of this host's HTTP API: prompts with an `Idempotency-Key`, events from `Last-Event-ID`. */
export class OwnTalk implements Talk {
  readonly record = new TalkRecord();
  readonly #session: string;
  readonly #places: OwnPlaces;
  readonly #connections = new Set<EventConnection>();
  #run = "";
  #isHeld = false;
  #isClosed = false;

  constructor(session: string, places: OwnPlaces) {
    this.#session = session;
    this.#places = places;
  }

  async send(number: number, options: { readonly giveUpMs?: number } = {}): Promise<void> {
    const answer = await fetchJson(`${this.#places.send()}/v1/runs`, {
      ...options,
      method: "POST",
      headers: { ...AUTHORIZATION, "idempotency-key": promptName(number) },
      body: { input: promptText(number), session_id: this.#session, mode: "all" },
    });
    // As the API documents it.
    this.#run = (answer as { run_id: string }).run_id;
    this.record.accept(number);
    void this.#follow(this.#run, number);
  }

  reconnect(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    return Promise.resolve();
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const connection of this.#connections) connection.hold(isHeld);
  }

  async stop(): Promise<void> {
    await fetchJson(`${this.#places.send()}/v1/runs/${this.#run}/stop`, {
      method: "POST",
      headers: AUTHORIZATION,
    });
  }

  async kept(): Promise<readonly KeptLine[]> {
    const url = `${this.#places.read()}/api/sessions/${this.#session}/messages?limit=500`;
    const { data } = (await fetchJson(url, { headers: AUTHORIZATION })) as { data: readonly OwnMessage[] };
    return data.flatMap(linesOf);
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close();
  }

  /** Reads a run to its end, on as many connections as that takes. */
  async #follow(run: string, number: number): Promise<void> {
    let last: string | undefined;
    const turn = { isOver: false };
    while (!turn.isOver && !this.#isClosed) {
      const headers = { ...AUTHORIZATION, ...(last === undefined ? {} : { "last-event-id": last }) };
      const url = `${this.#places.read()}/v1/runs/${run}/events`;
      const connection = new EventConnection(url, headers, ({ id, data }) => {
        last = id ?? last;
        const { event, delta = "", error } = JSON.parse(data) as RunEvent;
        if (event === "message.delta") this.record.show(delta);
        const end = ENDS[event];
        if (end === undefined) return;
        turn.isOver = true;
        this.record.end(number, end, error);
      });
      connection.hold(this.#isHeld);
      this.#connections.add(connection);
      await connection.over;
      this.#connections.delete(connection);
      if (!turn.isOver) await pause(AGAIN_AFTER_MS);
    }
  }
}

interface RunEvent {
  readonly event: string;
  readonly delta?: string;
  readonly error?: string;
}

interface OwnMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
}

function linesOf({ role, content, tool_calls: calls = [] }: OwnMessage): readonly KeptLine[] {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  if (role === "user") return [{ role: "user", text }];
  if (role !== "assistant") return [];
  return [
    { role: "agent", text },
    ...calls.map((call): KeptLine => ({ role: "call", text: JSON.stringify(call) })),
  ];
}
