import type { ClarifyRequest } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { FormAnswer } from "./client-peer.ts";

interface FormField {
  readonly type: "string";
  readonly title: string;
  readonly enum?: string[];
}

interface Form {
  readonly type: "object";
  readonly properties: Record<string, FormField>;
  readonly required?: string[];
}

/** A question as a form, in the words of both versions: one of the choices, or words of one's own. */
export function formRequest(sessionId: string, { question, choices, callId }: ClarifyRequest) {
  const answer: FormField = { type: "string", title: choices.length === 0 ? "Answer" : "Something else" };
  const choice: FormField = { type: "string", title: "Answer", enum: [...choices] };
  const requestedSchema: Form =
    choices.length === 0
      ? { type: "object", properties: { answer }, required: ["answer"] }
      : { type: "object", properties: { choice, answer } };
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
