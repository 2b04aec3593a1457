import { z } from "zod";
import { type Clock, sleep } from "../../shared/async/clock.ts";
import { parseForeignJson } from "../../shared/json/json.ts";
import type { Sink, WebhookAnswer, WebhookRequest } from "../port/channel.ts";
import type { Directory } from "./directory.ts";
import { genuineValue } from "./verify.ts";

/** What the server posts when somebody presses a button: who, and below which post. */
const ClickWire = z.object({
  user_id: z.string().min(1),
  user_name: z.string().default(""),
  post_id: z.string().min(1),
  trigger_id: z.string().min(1),
});

/** The server waits half a minute by default; people do not. */
const ANSWER_MS = 3000;

/** The buttons that people press. The answer to the server's request is what the one who pressed is told. */
export class Clicks {
  readonly #secret: string;
  readonly #parts: { readonly directory: Directory; readonly clock: Clock };
  /** Requests that wait for what to say, by their ids. */
  readonly #waiting = new Map<string, (text: string) => void>();

  constructor(secret: string, parts: { readonly directory: Directory; readonly clock: Clock }) {
    this.#secret = secret;
    this.#parts = parts;
  }

  /** Takes a request of the server. */
  async take(
    request: WebhookRequest,
    { sink, botId }: { readonly sink: Sink; readonly botId: string | undefined },
  ): Promise<WebhookAnswer> {
    const value = genuineValue(this.#secret, request);
    if (value === undefined) return { status: 401 };
    const click = ClickWire.safeParse(parseForeignJson(Buffer.from(request.body).toString("utf8"))).data;
    if (click === undefined) return { status: 400 };
    const { user_id: id, user_name: name, post_id: messageId, trigger_id: answerId } = click;
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { directory } = this.#parts;
    // The server is asked where the post is, and whose.
    const post = await directory.post(messageId, signal);
    if (post === undefined || post.user_id !== botId) return { status: 404 };
    const place = await directory.placeOf(post, signal);
    const said = this.#answerTo(answerId);
    const from = { id, name: name || id };
    await sink.take([
      { type: "click", eventId: `click:${answerId}`, place, from, messageId, value, answerId },
    ]);
    const body = JSON.stringify({ ephemeral_text: await said });
    return { status: 200, body, contentType: "application/json" };
  }

  /** Tells the one who pressed a button what became of it. */
  answer({ answerId = "" }: { readonly answerId?: string }, text: string): Promise<void> {
    this.#waiting.get(answerId)?.(text);
    return Promise.resolve();
  }

  /** What is to be said, or nothing when that takes too long. */
  async #answerTo(answerId: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const heard = new AbortController();
    this.#waiting.set(answerId, (text) => {
      resolve(text);
      heard.abort();
    });
    void sleep(this.#parts.clock, ANSWER_MS, heard.signal).then(() => resolve(""));
    try {
      return await promise;
    } finally {
      this.#waiting.delete(answerId);
    }
  }
}
