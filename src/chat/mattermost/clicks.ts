import { z } from "zod";
import type { Clock } from "../../shared/async/clock.ts";
import { parseForeignJson } from "../../shared/json/json.ts";
import type { Sink, WebhookAnswer, WebhookRequest } from "../port/channel.ts";
import { ClickAnswers } from "../port/click-answers.ts";
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
  readonly #directory: Directory;
  readonly #answers: ClickAnswers;

  constructor(
    secret: string,
    { directory, clock }: { readonly directory: Directory; readonly clock: Clock },
  ) {
    this.#secret = secret;
    this.#directory = directory;
    this.#answers = new ClickAnswers(clock, ANSWER_MS);
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
    // The server is asked where the post is, and whose.
    const post = await this.#directory.post(messageId, signal);
    if (post === undefined || post.user_id !== botId) return { status: 404 };
    const place = await this.#directory.placeOf(post, signal);
    const said = this.#answers.to(answerId);
    const from = { id, name: name || id };
    await sink.take([
      { type: "click", eventId: `click:${answerId}`, place, from, messageId, value, answerId },
    ]);
    const body = JSON.stringify({ ephemeral_text: await said });
    return { status: 200, body, contentType: "application/json" };
  }

  /** Tells the one who pressed a button what became of it. */
  answer({ answerId = "" }: { readonly answerId?: string }, text: string): Promise<void> {
    this.#answers.say(answerId, text);
    return Promise.resolve();
  }
}
