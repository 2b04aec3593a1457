import {
  type QuestionAnswer,
  type ApprovalRequest,
  type ClarifyRequest,
  type QuestionPolicy,
  type QuestionRequest,
  type Session,
  questionText,
} from "../../core/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import type { ProjectedCall } from "../projection/conversation-update.ts";
import { type ClientContext, until } from "./client-peer.ts";
import { permissionAnswer } from "./permission-options.ts";
import { isJsonObject } from "../../shared/json/json.ts";

const NO_SECRETS =
  "this client is an editor, which has no place to type a secret safely. Ask the user to do this step in a terminal";
const NO_FORMS =
  "this client cannot show questions. Ask in the text of your reply and end your turn there; the user answers with the next prompt";

/** The questions that may be asked in a client's turns, and the reason that the model gets for refusing the others. */
export const questionPolicy = ({ form }: ClientCapabilities): QuestionPolicy => ({
  mode: "ask",
  refuse: { sudo: NO_SECRETS, secret: NO_SECRETS, ...defined({ clarify: form ? undefined : NO_FORMS }) },
});

/** Prompter of a client: it asks a session's open questions and brings the answers back. The first answer counts. */
export class PermissionPrompter {
  readonly #session: Session;
  readonly #context: ClientContext;
  readonly #stopTurn: () => Promise<void>;
  readonly #open = new Map<string, AbortController>();

  /** @param stopTurn - stops the turn that asks, if it is this client's */
  constructor(session: Session, context: ClientContext, stopTurn: () => Promise<void>) {
    this.#session = session;
    this.#context = context;
    this.#stopTurn = stopTurn;
  }

  /** Asks the client, when it can show such a question. */
  ask(request: QuestionRequest, call: ProjectedCall | undefined): void {
    if (this.#open.has(request.requestId)) return;
    switch (request.type) {
      case "approval.request":
        return this.#run(request, (signal) => this.#permission(request, call, signal));
      case "clarify.request":
        if (!this.#context.capabilities.form) return;
        return this.#run(request, (signal) => this.#form(request, signal));
      case "sudo.request":
      case "secret.request":
        // An editor's form does not keep a secret; turns that begin here do not ask for one.
        return;
    }
  }

  /** Ends the client's request for a question that is over, whoever answered it. */
  settle(requestId: string): void {
    const controller = this.#open.get(requestId);
    this.#open.delete(requestId);
    controller?.abort();
  }

  /** Ends all requests, because the client leaves or the turn is over. */
  settleAll(): void {
    for (const requestId of this.#open.keys()) this.settle(requestId);
  }

  #run({ requestId }: QuestionRequest, ask: (signal: AbortSignal) => Promise<QuestionAnswer>): void {
    const controller = new AbortController();
    this.#open.set(requestId, controller);
    const { signal } = controller;
    const asking = async (): Promise<void> => {
      const answer = await ask(signal);
      if (signal.aborted) return;
      this.#open.delete(requestId);
      await this.#session.answer(requestId, answer, this.#context.from);
    };
    asking().catch((thrown: unknown) => {
      // Somebody else was faster, or the turn is over.
      const isLate = thrown instanceof HostError && thrown.code === "question_not_pending";
      if (!isLate && !signal.aborted) this.#context.host.services.report(toHostError(thrown));
    });
  }

  async #permission(
    request: ApprovalRequest,
    call: ProjectedCall | undefined,
    signal: AbortSignal,
  ): Promise<QuestionAnswer> {
    const { id: sessionId, state } = this.#session;
    const { client, messages, capabilities } = this.#context;
    try {
      const question = { sessionId, request, call, cwd: state.cwd };
      const params = messages.permissionRequest(question, capabilities);
      const answer = await client.request("session/request_permission", params, until(signal));
      const given = permissionAnswer(answer, request);
      if (given !== "cancelled") return given ?? { choice: "deny" };
      // The person cancelled the turn. For somebody else's turn this counts as a no.
      await this.#stopTurn();
      return { choice: "deny" };
    } catch {
      // Nobody can be asked here, and no answer is no consent.
      return { choice: "deny", text: "The editor could not show the permission request." };
    }
  }

  async #form(request: ClarifyRequest, signal: AbortSignal): Promise<QuestionAnswer> {
    try {
      const form = formRequest(this.#session.id, request);
      const text = formAnswer(await this.#context.client.request("elicitation/create", form, until(signal)));
      return text === undefined ? { declined: true } : { text };
    } catch {
      // The client has forms but refused this one: the model goes on without an answer.
      return { declined: true };
    }
  }
}

/** Writes a question as a form: one of the choices, or an answer in the person's own words. */
function formRequest(sessionId: string, request: ClarifyRequest) {
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
function formAnswer(response: unknown): string | undefined {
  if (!isJsonObject(response) || response["action"] !== "accept" || !isJsonObject(response["content"]))
    return undefined;
  const { answer, choice } = response["content"];
  return [answer, choice].find((text): text is string => typeof text === "string" && text.trim() !== "");
}
