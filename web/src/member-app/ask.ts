import { askingAt, RequestRefused } from "../client/dashboard-api.ts";

/** An event on the window: the server knows nobody here any more. */
export const SIGNED_OUT = "app:signed-out";

/** Makes the way to the app's own API, until `signal` aborts. */
export function askingUntil(signal?: AbortSignal) {
  const askServer = askingAt("/app/api", "There is no connection.", signal);
  return async function ask<Answer>(...request: Parameters<typeof askServer>): Promise<Answer> {
    try {
      return await askServer<Answer>(...request);
    } catch (thrown) {
      if (thrown instanceof RequestRefused && thrown.status === 401) dispatchEvent(new Event(SIGNED_OUT));
      throw thrown;
    }
  };
}

/** Asks the app's own API. @throws RequestRefused what it answered; status 0: nothing at all */
export const ask = askingUntil();

/** For now only: too slow, too often, or something in between or behind it does not answer. */
const PASSING = new Set([408, 429, 502, 503, 504, 507]);

/** Whether trying again may change what was answered. */
export const mayPass = ({ status, code }: RequestRefused): boolean =>
  // As long as nobody is signed in, or somebody else, too.
  status === 0 || status === 401 || code === "another_member" || PASSING.has(status);

/** The words for people of what went wrong. */
export const wordsOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** A conversation as lists show it. */
export interface ConversationWire {
  readonly id: string;
  readonly title: string;
  readonly preview: string;
  readonly active_at: number;
  readonly working: boolean;
  readonly asks: boolean;
  readonly unread: boolean;
  readonly damaged: boolean;
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
