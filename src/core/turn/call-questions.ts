import type { QuestionRequest, Resolution } from "../events/question-events.ts";
import type { Answered } from "../questions/turn-questions.ts";
import type { CallState } from "../state/state.ts";
import { callHash, choicesFor, isCovered } from "../questions/approvals.ts";
import type { AnyTool, GrantQuestion, ToolAnswer, ToolQuestion } from "../ports/tool.ts";
import type { QuestionAsker } from "./tool-context.ts";
import { type TurnContext, type TurnStep, turnState } from "./turn-context.ts";

/** A question of a running call: its own, or one of a subagent of its own. */
type AskedQuestion =
  | { readonly question: ToolQuestion; readonly reply: (answer: ToolAnswer) => void }
  | { readonly relayed: QuestionRequest; readonly reply: (answer: Answered) => void };

/** The questions of one running call: makes them questions of the turn, and passes their answers on. */
export class CallQuestions implements QuestionAsker {
  readonly #turn: TurnContext;
  readonly #tool: AnyTool;
  readonly #state: CallState;
  readonly #inbox: AskedQuestion[] = [];
  #changed = Promise.withResolvers<void>();
  #asked = 0;

  constructor(turn: TurnContext, tool: AnyTool, state: CallState) {
    this.#turn = turn;
    this.#tool = tool;
    this.#state = state;
  }

  ask(question: ToolQuestion): Promise<ToolAnswer> {
    const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
    this.#inbox.push({ question, reply: resolve });
    this.#changed.resolve();
    return promise;
  }

  relay(request: QuestionRequest): Promise<Answered> {
    const { promise, resolve } = Promise.withResolvers<Answered>();
    this.#inbox.push({ relayed: request, reply: resolve });
    this.#changed.resolve();
    return promise;
  }

  async next(): Promise<{ readonly kind: "asked"; readonly asked: AskedQuestion }> {
    for (;;) {
      const asked = this.#inbox[0];
      if (asked !== undefined) return { kind: "asked", asked };
      await this.#changed.promise;
      this.#changed = Promise.withResolvers<void>();
    }
  }

  /** Puts a question before people; the tool gets the answer when there is one. */
  async *raise(asked: AskedQuestion): AsyncGenerator<TurnStep, void> {
    this.#inbox.shift();
    if ("relayed" in asked) return yield* this.#relay(asked.relayed, asked.reply);
    const nth = this.#asked;
    this.#asked += 1;
    const before = this.#state.answers[nth];
    if (before !== undefined) return asked.reply(toolAnswer({ resolution: before }));
    const open = this.#openQuestion();
    if (open !== undefined) {
      void this.#turn.questions.expect(open).then((answer) => asked.reply(toolAnswer(answer)));
      return;
    }
    if (asked.question.kind === "grant" && this.#isAllowed(asked.question)) {
      return asked.reply({ outcome: "answered", text: "session" });
    }
    const { questions } = turnState(this.#turn).prompt;
    const { kind } = asked.question;
    if (questions.mode === "refuse") return asked.reply({ outcome: "refused", reason: questions.reason });
    const refusal = kind === "grant" ? undefined : questions.refuse?.[kind];
    if (refusal !== undefined) return asked.reply({ outcome: "refused", reason: refusal });
    const request = this.#request(asked.question);
    const answer = this.#turn.questions.expect(request.requestId);
    yield [request];
    void answer.then((answered) => asked.reply(toolAnswer(answered)));
  }

  /** Asks anew in the parent's name, since a key and a turn are of one session only. */
  async *#relay(
    { requestId, ...request }: QuestionRequest,
    reply: (answer: Answered) => void,
  ): AsyncGenerator<TurnStep, void> {
    const { turnId, questions } = this.#turn;
    const base = { requestId, turnId, callId: this.#state.call.id, beforeEffect: false };
    const copy: QuestionRequest =
      request.type === "sudo.request" || request.type === "secret.request"
        ? { ...request, ...base, publicKey: questions.keyFor(requestId) }
        : { ...request, ...base };
    const answer = questions.expect(requestId);
    yield [copy];
    void answer.then(reply);
  }

  #isAllowed({ patterns }: GrantQuestion): boolean {
    const { services, log } = this.#turn;
    return isCovered({ patterns }, [...log.state.allowed, ...services.policy().approvals.allowed]);
  }

  /** A question of this call that is open since before a restart. */
  #openQuestion(): string | undefined {
    const { questions } = this.#turn.log.state;
    const mine = questions.find(
      ({ request }) =>
        request.callId === this.#state.call.id &&
        (request.type !== "approval.request" || request.running === true),
    );
    return this.#asked === this.#state.answers.length + 1 ? mine?.request.requestId : undefined;
  }

  #request(question: ToolQuestion): QuestionRequest {
    const { services, turnId } = this.#turn;
    const { approvals, questions } = services.policy();
    const { clarifyMs, sudoMs, secretMs } = questions;
    const requestId = `req_${services.hex(8)}`;
    const base = {
      requestId,
      turnId,
      callId: this.#state.call.id,
      beforeEffect: this.#tool.effect === "pure",
    };
    switch (question.kind) {
      case "clarify":
        return {
          ...base,
          type: "clarify.request",
          question: question.question,
          choices: question.choices,
          timeoutMs: clarifyMs,
        };
      case "grant": {
        const { kind: _kind, allowPermanent, ...asked } = question;
        return {
          ...base,
          ...asked,
          type: "approval.request",
          running: true,
          toolName: this.#tool.name,
          choices: choicesFor({ patterns: asked.patterns, allowPermanent }),
          inputHash: callHash(this.#state.call),
          timeoutMs: approvals.timeoutMs,
        };
      }
      case "sudo":
        return {
          ...base,
          type: "sudo.request",
          command: question.command,
          publicKey: this.#turn.questions.keyFor(requestId),
          timeoutMs: sudoMs,
        };
      case "secret":
        return {
          ...base,
          type: "secret.request",
          envVar: question.envVar,
          prompt: question.prompt,
          publicKey: this.#turn.questions.keyFor(requestId),
          timeoutMs: secretMs,
        };
    }
  }
}

function toolAnswer({ resolution, secret }: Answered): ToolAnswer {
  if (resolution.outcome === "answered")
    return { outcome: "answered", text: secret ?? resolution.choice ?? resolution.text ?? "" };
  return { outcome: resolution.outcome, reason: reasonOf(resolution) };
}

function reasonOf(resolution: Exclude<Resolution, { outcome: "answered" }>): string {
  return resolution.outcome === "expired" ? "Nobody answered in time." : resolution.reason;
}
