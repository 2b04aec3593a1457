import type { OpenRequest } from "../protocol/question.ts";
import type { ClientEvent } from "./events.ts";

/** What a gateway may send, told apart. */
type Frame =
  | { readonly type: "event"; readonly event: ClientEvent }
  | { readonly type: "question"; readonly question: OpenRequest }
  | { readonly type: "answer"; readonly id: string; readonly answer: Answer }
  /** A notification of another kind. */
  | { readonly type: "other" };

interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Reads a message; `undefined` when no gateway can have written it. What its tables say of it is not checked again. */
export function readGatewayMessage(text: string): Frame | undefined {
  const frame = parsed(text);
  if (frame === undefined) return undefined;
  const { id, method, params } = frame as { id?: string | null; method?: string; params?: unknown };
  if (method === "event") return { type: "event", event: params as ClientEvent };
  if (id === undefined || id === null) return { type: "other" };
  if (method === undefined) return { type: "answer", id, answer: frame };
  return { type: "question", question: { id, method, params } as OpenRequest };
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // Whatever wrote this, it was not the gateway.
    return undefined;
  }
}
