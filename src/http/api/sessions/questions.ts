import { z } from "zod";
import { defined } from "../../../shared/json/defined.ts";
import type { Host, QuestionAnswer, QuestionRequest, Session } from "../../../core/index.ts";
import { decode } from "../../server/decode.ts";
import { badRequest, HttpError } from "../../server/http-error.ts";
import { encodeApprovalRequest } from "../../turns/encode-approval.ts";

/** The body of `POST /api/sessions/{session_id}/answer`. */
export const SessionAnswer = z
  .looseObject({
    request_id: z.string().optional().meta({ description: "The oldest open question when it is left out." }),
    choice: z
      .enum(["once", "session", "always", "deny"])
      .optional()
      .meta({ description: "The answer to an approval." }),
    scope: z.string().optional().meta({
      description: "With `always`: the id of one of the question's `scopes`; else it covers `pattern_keys`.",
    }),
    text: z
      .string()
      .optional()
      .meta({ description: "The answer to any other question; beside a denial, words for the model." }),
  })
  .meta({ title: "SessionAnswer" });

/** The open questions of a session, whichever process asks them; to list them is to see them. */
export async function listQuestions(host: Host, id: string) {
  const session = await host.session(id);
  await session.refresh();
  const data = session.questions().map(({ request, askedAt }) => ({
    ...encodeQuestion(request),
    asked_at: askedAt / 1000,
    timeout: request.timeoutMs / 1000,
  }));
  return { object: "list", data };
}

/**
 * Answers an open question of a session, whichever process asks it.
 *
 * @throws HttpError 400, 409 `question_not_pending`
 */
export async function answerInSession(host: Host, id: string, body: unknown) {
  const { request_id: requestId, ...given } = decode(SessionAnswer, body);
  const session = await host.session(id);
  await session.refresh();
  const request = openQuestion(session, requestId);
  await session.answer(request.requestId, answerTo(request, given), { surface: "api" });
  return { object: "agent.session.answer", session_id: id, request_id: request.requestId };
}

function openQuestion({ id, state }: Session, requestId: string | undefined): QuestionRequest {
  const found = state.questions.find(
    ({ request }) => requestId === undefined || request.requestId === requestId,
  );
  if (found !== undefined) return found.request;
  throw new HttpError(409, `Session ${id} has no such open question.`, { code: "question_not_pending" });
}

function answerTo(
  request: QuestionRequest,
  { choice, scope, text }: Pick<z.output<typeof SessionAnswer>, "choice" | "scope" | "text">,
): QuestionAnswer {
  if (request.type !== "approval.request") {
    if (text === undefined) throw badRequest("Missing 'text': the answer.", "text");
    return { text };
  }
  if (choice === "deny" && text !== undefined) return { choice, text };
  if (choice !== undefined && request.choices.includes(choice)) return { choice, ...defined({ scope }) };
  throw badRequest(`'choice' must be one of: ${request.choices.join(", ")}.`, "choice");
}

function encodeQuestion(request: QuestionRequest) {
  switch (request.type) {
    case "approval.request":
      return { type: "approval", ...encodeApprovalRequest(request) };
    case "clarify.request": {
      const { requestId, question, choices } = request;
      return { type: "clarify", request_id: requestId, question, choices };
    }
    case "sudo.request":
      return { type: "sudo", request_id: request.requestId, command: request.command };
    case "secret.request":
      return {
        type: "secret",
        request_id: request.requestId,
        variable: request.envVar,
        prompt: request.prompt,
      };
  }
}
