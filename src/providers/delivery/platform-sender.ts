import { defined } from "../../shared/json/defined.ts";
import { createHash } from "node:crypto";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { deliverableText } from "./deliverable-text.ts";
import { type MarkdownPart, markdownParts } from "./markdown/parts.ts";
import type {
  MessagingPlatform,
  PlatformAccess,
  PlatformAnswer,
  PlatformCall,
  PlatformMessage,
} from "./messaging-platform.ts";

/** The owner's account on a platform. */
interface PlatformAccount {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
  readonly from?: string;
  /** Where texts go that name no chat. */
  readonly home?: string;
  /** Where tokens are got, when not where the platform says. */
  readonly accessUrl?: string;
}

/**
 * A transport of requests to platforms; it gives the answer as it is. @throws HostError `fetch_failed`, `fetch_refused`
 */
export type PlatformTransport = (request: {
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}>;

/** A text for a platform. */
interface Outgoing {
  readonly id: string;
  readonly target: { readonly chatId?: string; readonly threadId?: string };
  readonly text: string;
  /** Parts of it that the platform has taken already. */
  readonly partsSent?: number;
}

/** Waits before further tries: a minute's outage, an hour's. */
export const MESSAGE_RETRY_MS = [2000, 15_000, 60_000, 600_000, 3_600_000] as const;

interface PlatformSenderOptions {
  readonly account: PlatformAccount;
  readonly send: PlatformTransport;
  readonly clock: Clock;
}

/** Sends texts, which are Markdown, through a platform; long ones as several messages. */
export function platformSender(platform: MessagingPlatform, { account, send, clock }: PlatformSenderOptions) {
  const { access } = platform;
  const { token: secret, from = "" } = account;
  let held = { token: "", until: 0 };
  const tokenOf = async (post: Post): Promise<string> => {
    if (access === undefined) return secret;
    if (held.token !== "" && clock.now() < held.until) return held.token;
    const { baseUrl, path } = access;
    const url = `${account.accessUrl ?? baseUrl}${path}`;
    const { token, seconds } = tokenIn(
      await post(url, { path, body: access.body({ token: secret, from }) }),
      access,
    );
    held = { token, until: clock.now() + 1000 * seconds - EARLY_MS };
    return token;
  };
  return {
    retryMs: MESSAGE_RETRY_MS,
    async send({ id, target, text, partsSent = 0 }: Outgoing, signal: AbortSignal): Promise<void> {
      const place = placeOf(platform, account, target);
      const post = poster(send, signal);
      const say = async (part: MarkdownPart, index: number, shown: string): Promise<PlatformAnswer> => {
        const once = createHash("sha256").update(`${id}\n${index}`).digest("hex").slice(0, 24);
        const message = { ...place, text: shown, source: part.source, part: index + 1, once };
        const call = platform.call(message, { token: await tokenOf(post), from });
        return await post(`${account.baseUrl}${call.path}`, call);
      };
      const parts = markdownParts(deliverableText(text), platform);
      for (const [index, part] of parts.entries()) {
        if (index < partsSent) continue;
        let answer = await say(part, index, part.text).catch((thrown: unknown) => {
          throw withPartsSent(thrown, index);
        });
        // Whatever it does not like about the markup, the words are told.
        if (isRefusedText(platform, answer) && part.plain !== part.text)
          answer = await say(part, index, part.plain);
        if (answer.status === 401) held = { token: "", until: 0 };
        check(platform, answer, index);
      }
    },
  };
}

/** A token that is about to end is not used any more. */
const EARLY_MS = 60_000;

/** Reads the token that was got for the secret. @throws HostError `delivery_failed`, `invalid_params` */
function tokenIn(answer: PlatformAnswer, access: PlatformAccess) {
  const { token, seconds } = access.token(answer);
  if (answer.status < 300 && typeof token === "string" && token !== "")
    return { token, seconds: Number.isFinite(seconds) ? seconds : 0 };
  const why = answer.body["message"];
  const reason = typeof why === "string" ? why.slice(0, 200) : `status ${answer.status}`;
  throw new HostError(codeOf(answer), `no token was given for the secret: ${reason}`);
}

/** Whether a platform has not taken a message for what it says. */
function isRefusedText(platform: MessagingPlatform, answer: PlatformAnswer): boolean {
  const refusal = platform.refusal(answer);
  return refusal !== undefined && refusal.waitMs === undefined && isOfText(answer.status);
}

const isOfText = (status: number): boolean => status < 300 || [400, 413, 415, 422].includes(status);

/** A failure on the way, which tells the next try where to go on. */
export function withPartsSent(thrown: unknown, partsSent: number): HostError {
  const { code, message, details } = toHostError(thrown);
  return new HostError(code, message, { cause: thrown, details: { ...details, partsSent } });
}

/** @throws HostError `config_invalid` when no chat is named and there is no home, or a place is named that cannot be had */
function placeOf(
  { name, oneChat, threads }: MessagingPlatform,
  { home }: PlatformAccount,
  { chatId: named, threadId }: Outgoing["target"],
): Pick<PlatformMessage, "chatId" | "threadId"> {
  if (threads !== true && threadId !== undefined)
    throw new HostError("config_invalid", `${name} has no threads: name none.`);
  if (oneChat === true && named !== undefined)
    throw new HostError("config_invalid", `${name} writes to the chat of its bot only: name no chat.`);
  if (oneChat === true) return { chatId: "" };
  const chatId = named ?? home;
  if (chatId !== undefined) return { chatId, ...defined({ threadId }) };
  throw new HostError(
    "config_invalid",
    `${name} has no home: set platforms.${name}.home_channel, or name a chat as ${name}:<chat>.`,
  );
}

type Post = (url: string, call: PlatformCall) => Promise<PlatformAnswer>;

const poster =
  (send: PlatformTransport, signal: AbortSignal): Post =>
  async (url, { method = "POST", headers, body }) =>
    answerOf(
      await send({
        url,
        method,
        headers: { "content-type": "application/json; charset=utf-8", ...headers },
        body: JSON.stringify(body),
        signal,
      }),
    );

/** Reads an answer of a transport. */
export function answerOf({ status, headers, bytes }: Awaited<ReturnType<PlatformTransport>>): PlatformAnswer {
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    // Some answers are no JSON; the status then says it all.
    body = {};
  }
  return { status, body: isJsonObject(body) ? body : {}, retryAfter: headers["retry-after"] };
}

/** @param partsSent - parts that are there already: the next try goes on behind them */
function check(platform: MessagingPlatform, answer: PlatformAnswer, partsSent: number): void {
  const refusal = platform.refusal(answer);
  if (refusal === undefined) return;
  throw new HostError(
    refusal.waitMs === undefined ? codeOf(answer) : "delivery_failed",
    `${platform.name}: ${refusal.message.slice(0, 300)}`,
    { details: defined({ retryAfterMs: refusal.waitMs, partsSent }) },
  );
}

/** The code of a message that was not taken: whether a later try may help. */
export const codeOf = ({ status }: PlatformAnswer): "delivery_failed" | "invalid_params" =>
  status >= 500 || status === 429 ? "delivery_failed" : "invalid_params";
