import type { QuestionAnswer, Origin } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { CLARIFY_QID } from "../encode/question.ts";
import {
  type OpenRequest,
  type QuestionKind,
  type QuestionResult,
  SERVER_REQUESTS,
} from "../protocol/question.ts";
import type { GatewayContext } from "./gateway-context.ts";

interface ClientAnswer {
  readonly session: string;
  readonly request: OpenRequest;
  readonly result: unknown;
  readonly from: Origin;
}

/**
 * Answers a question with a client's response to a request of the host.
 *
 * @returns the decision of an approval
 * @throws HostError `answer_invalid`, `question_not_pending`
 */
export async function acceptResponse(
  gateway: GatewayContext,
  { session: id, request, result, from }: ClientAnswer,
): Promise<{ readonly choice: string } | undefined> {
  const session = await gateway.session(id);
  const { request_id: requestId } = request.params;
  const answer = answerOf(request.method, result);
  await session.answer(requestId, answer, from);
  if (!("choice" in answer)) return undefined;
  const others = isForAll(result) ? session.state.questions : [];
  for (const { request: other } of others) {
    if (other.type === "approval.request") await session.answer(other.requestId, answer, from);
  }
  return { choice: answer.choice };
}

function answerOf(kind: QuestionKind, result: unknown): QuestionAnswer {
  switch (kind) {
    case "approval": {
      const { choice, scope, note, reason } = checked("approval", result);
      return { choice, ...defined({ scope, text: note ?? reason }) };
    }
    case "clarify": {
      const { answers } = checked("clarify", result);
      // Without answers the person has turned the question away.
      return { text: answers?.[CLARIFY_QID] ?? "" };
    }
    case "sudo":
    case "secret":
      return { text: checked(kind, result).value };
  }
}

const isForAll = (result: unknown): boolean => checked("approval", result).all === true;

function checked<K extends QuestionKind>(kind: K, result: unknown): QuestionResult<K> {
  const parsed = SERVER_REQUESTS[kind].result.safeParse(result);
  // The table says what each kind takes; TypeScript cannot follow it through the index.
  if (parsed.success) return parsed.data as QuestionResult<K>;
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new HostError(
    "answer_invalid",
    `The answer to this ${kind} is not of its form${where === "" ? "" : ` at ${where}`}.`,
  );
}
