import type { Flavour } from "./markdown/flavour.ts";

/** A place on a platform, and what goes there. */
export interface PlatformMessage {
  readonly chatId: string;
  readonly threadId?: string;
  /** In the platform's own way. */
  readonly text: string;
  /** The same as it was written, in Markdown. */
  readonly source: string;
  /** Which part of a long text it is, from 1. */
  readonly part: number;
  /** The same for every try, so that a platform which looks at it takes a message once. */
  readonly once: string;
}

/** The identity of a sender. */
interface PlatformIdentity {
  readonly token: string;
  /** The sender's number or id, for platforms on which one account has several; empty elsewhere. */
  readonly from: string;
}

/** A request that posts a message; the body is JSON. */
export interface PlatformCall {
  /** Below the base address. */
  readonly path: string;
  readonly method?: "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An answer of a platform: the body, as far as it is a JSON object. */
export interface PlatformAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfter?: string | undefined;
}

/** A platform's reason for not taking a message. */
export interface PlatformRefusal {
  readonly message: string;
  /** Milliseconds that the platform asks to wait. */
  readonly waitMs?: number;
}

/** A platform's way to give a token for the owner's secret. */
export interface PlatformAccess {
  /** Where, unless the owner's own address stands for the platform's. */
  readonly baseUrl: string;
  readonly path: string;
  body(identity: PlatformIdentity): Readonly<Record<string, unknown>>;
  /** Reads the token of an answer; it is no text when there is none. */
  token(answer: PlatformAnswer): { readonly token: unknown; readonly seconds: number };
}

/** A messaging platform: how its public HTTP API takes a text. */
export interface MessagingPlatform {
  /** The target's name in the interface. */
  readonly kind: string;
  /** The platform's own name, which works beside it. */
  readonly name: string;
  /** Where its API is; the owner must say it when absent. */
  readonly baseUrl?: string;
  /** Characters of one message; longer texts go out as several. */
  readonly limit: number;
  /** Bytes of a text as it was written and in the platform's way together, where that is bounded too. */
  readonly largest?: number;
  /** Its bots belong to one chat: there is nothing to choose. */
  readonly oneChat?: boolean;
  /** A message can go into a thread of its chat. */
  readonly threads?: boolean;
  /** It asks for no token. */
  readonly open?: boolean;
  /** One account has several senders: the owner must say which. */
  readonly needsFrom?: boolean;
  readonly readsMarkdown?: boolean;
  /** Its way to write Markdown; absent, it shows a text as it is. */
  readonly flavour?: Flavour;
  /** Its requests need a token that is got for the owner's secret; absent, the secret is the token. */
  readonly access?: PlatformAccess;
  call(message: PlatformMessage, account: PlatformIdentity): PlatformCall;
  refusal(answer: PlatformAnswer): PlatformRefusal | undefined;
}

/** The refusal that a status of 400 and more means, with a text of the platform's. */
export function byStatus({ status, retryAfter }: PlatformAnswer, text: unknown): PlatformRefusal | undefined {
  if (status >= 200 && status < 300) return undefined;
  const message = typeof text === "string" && text !== "" ? text : `status ${status}`;
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds > 0 ? { message, waitMs: 1000 * seconds } : { message };
}
