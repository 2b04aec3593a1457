import { createHash } from "node:crypto";
import type { PushNews } from "./push-news.ts";
import type { PushSubscription } from "./subscriptions.ts";

/** The keys by which push services know this server (VAPID), as base64url. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A request to a push service. */
export interface PushRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const LONGEST_TITLE = 80;
const WORDS: Readonly<Record<PushNews["kind"], string>> = {
  answer: "Your answer is there.",
  failure: "The answer broke off.",
  question: "The agent asks you something.",
};
/** Push services want to know whom to write to; a machine without a name of its own has nobody. */
const NOBODY = "mailto:nobody@example.invalid";

interface PushDraft {
  readonly news: PushNews;
  /** The conversation's; empty without one. */
  readonly title: string;
  /** Seconds for which a push service may keep it. */
  readonly ttl: number;
}

/**
 * Makes a request that tells a device of something. It is encrypted for that device; of the conversation only its title is
 * in it.
 */
export async function pushRequest(
  { endpoint, keys, origin }: PushSubscription,
  { news: { kind, conversation }, title, ttl }: PushDraft,
  vapid: PushKeys,
): Promise<PushRequest> {
  const { default: library } = await import("web-push");
  const text = JSON.stringify({
    title: title.slice(0, LONGEST_TITLE).toWellFormed() || "Chat",
    body: WORDS[kind],
    conversation,
  });
  const subject = origin.startsWith("https:") ? origin : NOBODY;
  const { headers, body } = library.generateRequestDetails({ endpoint, keys: { ...keys } }, text, {
    vapidDetails: { subject, ...vapid },
    TTL: ttl,
    urgency: kind === "question" ? "high" : "normal",
    contentEncoding: "aes128gcm",
    // A newer one takes the place of an older one that no device has fetched yet.
    topic: createHash("sha256").update(conversation).digest("base64url").slice(0, 32),
  });
  // Its types say that all are texts; some are numbers.
  const sent: Readonly<Record<string, string | number>> = headers;
  const named = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  // The way that sends it counts its bytes itself.
  return {
    url: endpoint,
    headers: Object.fromEntries(named.filter(([name]) => name !== "content-length")),
    body: new Uint8Array(body ?? []),
  };
}
