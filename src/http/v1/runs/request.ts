import { z } from "zod";
import { decode, Switch } from "../../server/decode.ts";
import { badRequest, HttpError } from "../../server/http-error.ts";
import { type RequestInput, readHistory, readInput } from "../../turns/request-input.ts";
import { readSessionId } from "../../turns/session-key.ts";
import type { RequestMessage } from "../../turns/request-message.ts";

/** The body of `POST /v1/runs`. */
export const RunBody = z
  .looseObject({
    input: z.unknown().optional().meta({ description: "Text, or messages of which the last is the prompt." }),
    session_id: z.string().nullish(),
    instructions: z.string().nullish(),
    conversation_history: z.unknown().optional(),
    previous_response_id: z.string().nullish(),
    model: z.string().nullish(),
    provider: z.string().nullish(),
    model_options: z.looseObject({}).nullish(),
    mode: z.string().nullish().meta({ description: "ask, edits, plan or all: what runs without asking." }),
    author: z.unknown().optional(),
  })
  .meta({ title: "RunRequest" });

/** A request for a run, decoded. */
export interface RunInput {
  readonly request: z.output<typeof RunBody>;
  readonly input: RequestInput;
  /** The conversation before, when the request brings it along. */
  readonly history: readonly RequestMessage[] | undefined;
  readonly sessionId: string | undefined;
}

/** @throws HttpError 400 */
export function readRunRequest(body: unknown): RunInput {
  const request = decode(RunBody, body);
  if (request.input === "") throw badRequest("Missing 'input' field", "input");
  const input = readInput(request.input);
  const { author } = request;
  if (author !== undefined && author !== null && (typeof author !== "object" || Array.isArray(author)))
    throw badRequest("'author' must be an object", "author", "invalid_author");
  return {
    request,
    input,
    history: readHistory(request.conversation_history),
    sessionId:
      request.session_id === undefined || request.session_id === null
        ? undefined
        : readSessionId(request.session_id, "session_id", "invalid_session_id"),
  };
}

/** Characters that may go with an answer. */
const LONGEST_NOTE = 10_000;

/** The body of `POST /v1/runs/{run_id}/approval`. */
export const ApprovalBody = z
  .looseObject({
    // An absent choice is told as any other wrong one.
    choice: z
      .unknown()
      .catch(undefined)
      .meta({ description: "once, session, always or deny; approve, approved and allow mean once." }),
    note: z
      .unknown()
      .optional()
      .meta({ description: "Words for the model, such as what to do instead; `reason` is the same." }),
    reason: z.unknown().optional(),
    scope: z.string().nullish().meta({
      description: "With `always`: the id of one of the approval's `scopes`; else it covers `pattern_keys`.",
    }),
    request_id: z.unknown().optional(),
    all: Switch(false),
    resolve_all: Switch(false),
  })
  .meta({ title: "RunApproval" });

const CHOICES = ["once", "session", "always", "deny"] as const;
const ALIASES: Readonly<Record<string, (typeof CHOICES)[number]>> = {
  approve: "once",
  approved: "once",
  allow: "once",
};

/** An answer to approvals of a run. */
export type ApprovalAnswer = ReturnType<typeof readApproval>;

/** @throws HttpError 400 `invalid_approval_request`, `invalid_approval_choice` */
export function readApproval(body: unknown) {
  const {
    choice: given,
    request_id: id,
    all,
    resolve_all: resolveAll,
    note,
    reason,
    scope,
  } = decode(ApprovalBody, body);
  if (id !== undefined && id !== null && (typeof id !== "string" || id.trim() === "" || id.length > 256))
    throw badRequest(
      "'request_id' must be text of 1 to 256 characters.",
      "request_id",
      "invalid_approval_request",
    );
  const word = typeof given === "string" ? given.trim().toLowerCase() : "";
  const choice = CHOICES.find((each) => each === word) ?? ALIASES[word];
  if (choice === undefined)
    throw badRequest(`'choice' must be one of: ${CHOICES.join(", ")}.`, "choice", "invalid_approval_choice");
  const said = note ?? reason ?? "";
  if (typeof said !== "string" || said.length > LONGEST_NOTE)
    throw badRequest(
      `'note' must be text of at most ${LONGEST_NOTE} characters.`,
      "note",
      "invalid_approval_request",
    );
  return {
    choice,
    all: all || resolveAll,
    requestId: id?.trim(),
    note: said.trim(),
    scope: scope ?? undefined,
  };
}

const said = z.unknown().optional();

/** The body of `POST /v1/runs/{run_id}/steer`. */
export const SteerBody = z
  .looseObject({
    input: said.meta({ description: "The text; `message` and `text` are the same." }),
    message: said,
    text: said,
  })
  .meta({ title: "RunSteer" });

/** The text for the running agent. @throws HttpError 400 `invalid_steer_input` */
export function readSteer(body: unknown): string {
  const { input, message, text } = decode(SteerBody, body);
  const given = [input, message, text].find((value) => typeof value === "string");
  if (given !== undefined && given.trim() !== "") return given;
  throw new HttpError(400, "Missing 'input': the text for the running agent.", {
    code: "invalid_steer_input",
  });
}
