import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createParser } from "eventsource-parser";

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Milliseconds after which nobody waits for the answer any more. */
  readonly giveUpMs?: number;
}

const LONGEST_MS = 20_000;

/** Sends a request over a connection of its own; gives its answer as soon as it begins. */
async function begin(url: string, call: Call = {}): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body } = call;
  const text = body === undefined ? "" : JSON.stringify(body);
  const about = body === undefined ? {} : { "content-type": "application/json" };
  const asked = request(url, { method, headers: { ...about, ...headers }, agent: false });
  const late = setTimeout(
    () => asked.destroy(new Error(`${url} did not answer`)),
    call.giveUpMs ?? LONGEST_MS,
  );
  try {
    asked.end(text);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    return answer;
  } finally {
    clearTimeout(late);
  }
}

/** Sends a request and gives the JSON of its answer. */
export async function fetchJson(url: string, call: Call = {}): Promise<unknown> {
  const answer = await begin(url, call);
  const late = setTimeout(() => answer.destroy(new Error(`${url} did not end`)), call.giveUpMs ?? LONGEST_MS);
  let text = "";
  try {
    for await (const piece of answer.setEncoding("utf8")) text += String(piece);
  } finally {
    clearTimeout(late);
  }
  if ((answer.statusCode ?? 500) >= 400) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** An event of a stream. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** A connection to a stream of events, until it is closed or breaks. */
export class EventConnection {
  /** Resolves when it is over, whyever. */
  readonly over: Promise<void>;
  #answer: IncomingMessage | undefined;
  #isClosed = false;
  #isHeld = false;

  constructor(url: string, headers: Readonly<Record<string, string>>, on: (event: StreamEvent) => void) {
    this.over = this.#read(url, headers, on).catch(() => undefined);
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) this.#answer?.pause();
    else this.#answer?.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#answer?.destroy();
  }

  async #read(
    url: string,
    headers: Readonly<Record<string, string>>,
    on: (event: StreamEvent) => void,
  ): Promise<void> {
    const answer = await begin(url, { headers });
    this.#answer = answer;
    if (this.#isClosed) return void answer.destroy();
    if (answer.statusCode !== 200) return void answer.resume();
    const parser = createParser({ onEvent: ({ id, data }) => on({ id, data }) });
    answer.setEncoding("utf8").on("data", (piece: string) => parser.feed(piece));
    if (this.#isHeld) answer.pause();
    answer.on("error", () => undefined);
    await once(answer, "close");
  }
}
