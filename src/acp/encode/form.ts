import { type ClarifyRequest, isJsonObject } from "../../core/index.ts";
import type { FormAnswer } from "../session/client-peer.ts";

/** A question as a form, in the words of both versions: one of the choices, or words of one's own. */
export function formRequest(sessionId: string, { question, choices, callId }: ClarifyRequest) {
  const words = { type: "string", title: choices.length === 0 ? "Answer" : "Something else" } as const;
  const choice = { type: "string", title: "Answer", enum: [...choices] } as const;
  const requestedSchema =
    choices.length === 0
      ? { type: "object" as const, properties: { answer: words }, required: ["answer"] }
      : { type: "object" as const, properties: { choice, answer: words } };
  return { mode: "form" as const, sessionId, toolCallId: callId, message: question, requestedSchema };
}

/** What was written into the form; nothing when nobody wanted to answer. */
export function formAnswer(response: unknown): FormAnswer {
  if (!isJsonObject(response) || response["action"] !== "accept") return undefined;
  const { content } = response;
  if (!isJsonObject(content)) return undefined;
  const written = [content["answer"], content["choice"]].find(
    (value) => typeof value === "string" && value.trim() !== "",
  );
  return typeof written === "string" ? written : undefined;
}
