import { RequestRefused } from "../client/dashboard-api.ts";

/** Asks the app's own API. @throws RequestRefused what it answered; status 0: nothing at all */
export async function ask<Answer>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Answer> {
  const writes =
    method === "GET"
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) };
  const response = await fetch(`/app/api${path}`, { method, ...writes }).catch(() => undefined);
  if (response === undefined) throw new RequestRefused(0, { error: { message: "There is no connection." } });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new RequestRefused(response.status, answer);
  // The server's own schemas say what it is.
  return answer as Answer;
}

/** A conversation as lists show it. */
export interface ConversationWire {
  readonly id: string;
  readonly title: string;
  readonly preview: string;
  readonly active_at: number;
  readonly working: boolean;
  readonly asks: boolean;
}

/** A page of conversations. */
export interface ConversationPageWire {
  readonly data: readonly ConversationWire[];
  readonly next?: string;
}

/** A message of a conversation. */
export interface MessageWire {
  readonly seq: number;
  readonly at: number;
  readonly from: "member" | "agent" | "tool" | "end";
  readonly text: string;
  readonly id?: string;
  readonly images?: readonly { readonly hash: string; readonly media_type: string }[];
  readonly outcome?: string;
}

/** A question to the member, or one that an operator decides. */
export interface QuestionWire {
  readonly id: string;
  readonly kind: "question" | "operator";
  readonly text: string;
  readonly choices: readonly string[];
}

/** A conversation with its newest messages. */
export interface ConversationViewWire {
  readonly conversation: ConversationWire;
  readonly messages: readonly MessageWire[];
  readonly questions: readonly QuestionWire[];
  readonly queued: readonly MessageWire[];
  readonly before?: number;
  readonly after: number;
}

/** A member who is signed in. */
export interface MemberWire {
  readonly id: string;
  readonly name: string;
}
