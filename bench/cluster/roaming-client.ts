import { setTimeout as pause } from "node:timers/promises";
import { BENCH_KEY } from "../http-load.ts";

const AGAIN_AFTER_MS = 50;
/** Who waits longer waits for ever, in milliseconds. */
const LONGEST_MS = 60_000;

/** A prompt of a client, and what the client was told of it. */
export interface RoamingPrompt {
  readonly session: string;
  /** No other prompt has it. */
  readonly text: string;
  readonly sentAt: number;
  isAccepted: boolean;
  turnId?: string;
  /** As the last event of its run says. */
  outcome?: string;
  /** All deltas, joined. */
  answer: string;
  firstAt?: number;
}

/** A client of a balancer: whatever breaks it does again, a prompt with its key, a reading with its cursor. */
export class RoamingClient {
  readonly prompts: RoamingPrompt[] = [];
  readonly #url: string;
  readonly #session: string;
  /** Requests that were refused or broke, and were made again. */
  again = 0;

  constructor(url: string, session: string) {
    this.#url = url;
    this.#session = session;
  }

  /** Sends one prompt after the other until it is to stop; the last one is waited for. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const text = `${this.#session}-${this.prompts.length}`;
      const prompt: RoamingPrompt = {
        session: this.#session,
        text,
        sentAt: performance.now(),
        isAccepted: false,
        answer: "",
      };
      this.prompts.push(prompt);
      const run = await this.#insist(prompt, () => this.#send(prompt));
      if (run === undefined) return;
      prompt.isAccepted = true;
      const reader = { last: "" };
      if ((await this.#insist(prompt, () => this.#read(run, prompt, reader))) === undefined) return;
    }
  }

  /** Does something until it is done; `undefined` when that does not come. */
  async #insist<T>({ sentAt }: RoamingPrompt, act: () => Promise<T | undefined>): Promise<T | undefined> {
    while (performance.now() < sentAt + LONGEST_MS) {
      try {
        const done = await act();
        if (done !== undefined) return done;
      } catch {
        // The connection broke.
      }
      this.again += 1;
      await pause(AGAIN_AFTER_MS);
    }
    return undefined;
  }

  async #send({ text, session }: RoamingPrompt): Promise<string | undefined> {
    const answer = await fetch(`${this.#url}/v1/runs`, {
      method: "POST",
      headers: { ...HEADERS, "content-type": "application/json", "idempotency-key": text },
      body: JSON.stringify({ input: text, session_id: session }),
    });
    const body = (await answer.json()) as { readonly run_id?: string };
    return answer.status === 202 ? body.run_id : undefined;
  }

  /** Reads events from where it was; `true` at the end of the run. */
  async #read(run: string, prompt: RoamingPrompt, reader: { last: string }): Promise<true | undefined> {
    const answer = await fetch(`${this.#url}/v1/runs/${run}/events`, {
      headers: { ...HEADERS, ...(reader.last === "" ? {} : { "last-event-id": reader.last }) },
    });
    if (answer.status !== 200 || answer.body === null) {
      await answer.arrayBuffer();
      return undefined;
    }
    let rest = "";
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + piece).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const [id, data] = [fieldOf(frame, "id"), fieldOf(frame, "data")];
        if (data === undefined) continue;
        if (take(prompt, JSON.parse(data) as RunEvent)) return true;
        reader.last = id ?? reader.last;
      }
    }
    return undefined;
  }
}

const HEADERS = { authorization: `Bearer ${BENCH_KEY}` };
const ENDS = new Set(["run.completed", "run.failed", "run.cancelled", "run.interrupted"]);

interface RunEvent {
  readonly event: string;
  readonly turn_id?: string;
  readonly delta?: string;
}

const fieldOf = (frame: string, name: string): string | undefined =>
  frame
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

/** Takes an event; `true` for the last one. */
function take(prompt: RoamingPrompt, { event, turn_id: turnId, delta = "" }: RunEvent): boolean {
  if (turnId !== undefined) prompt.turnId = turnId;
  if (event === "message.delta") {
    prompt.firstAt ??= performance.now();
    prompt.answer += delta;
  }
  if (!ENDS.has(event)) return false;
  prompt.outcome = event.slice("run.".length);
  return true;
}
