import type { CreateElicitationRequest, ElicitationSchema } from "@agentclientprotocol/sdk/unstable";
import { type ClarifyRequest, isJsonObject } from "../../core/index.ts";
import type { FormAnswer } from "../session/client-peer.ts";

/** A question as a form: one of the choices, or words of one's own. */
export function formRequest(sessionId: string, request: ClarifyRequest): CreateElicitationRequest {
  const { question, choices, callId } = request;
  const words = { type: "string", title: choices.length === 0 ? "Answer" : "Something else" } as const;
  const requestedSchema: ElicitationSchema =
    choices.length === 0
      ? { type: "object", properties: { answer: words }, required: ["answer"] }
      : {
          type: "object",
          properties: { choice: { type: "string", title: "Answer", enum: [...choices] }, answer: words },
        };
  return { mode: "form", sessionId, toolCallId: callId, message: question, requestedSchema };
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
