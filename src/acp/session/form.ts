import { type ClarifyRequest, questionText } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";

/** Writes a question as a form: one of the choices, or an answer in the person's own words. */
export function formRequest(sessionId: string, request: ClarifyRequest) {
  const { choices, callId } = request;
  const answer = { type: "string", title: choices.length === 0 ? "Answer" : "Something else" };
  const choice = { type: "string", title: "Answer", enum: choices };
  const requestedSchema =
    choices.length === 0
      ? { type: "object", properties: { answer }, required: ["answer"] }
      : { type: "object", properties: { choice, answer } };
  return {
    mode: "form",
    sessionId,
    toolCallId: callId,
    message: questionText(request).words,
    requestedSchema,
  };
}

/** Reads what a person wrote into a form; `undefined` when they did not want to answer. */
export function formAnswer(response: unknown): string | undefined {
  if (!isJsonObject(response) || response["action"] !== "accept" || !isJsonObject(response["content"]))
    return undefined;
  const { answer, choice } = response["content"];
  return [answer, choice].find((text): text is string => typeof text === "string" && text.trim() !== "");
}
