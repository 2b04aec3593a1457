import { textPart } from "../events/content.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type {
  ClarifyRequest,
  QuestionRequest,
  Resolution,
  SecretRequest,
  SudoRequest,
} from "../events/question-events.ts";
import { ProgressThrottle } from "./progress-throttle.ts";
import type { Answered } from "../questions/turn-questions.ts";
import type { CallState } from "../state/state.ts";
import type { AnyTool, ToolAnswer, ToolProgress, ToolQuestion, ToolResult } from "../ports/tool.ts";
import { type QuestionAsker, toolContext } from "./tool-context.ts";
import { type TurnContext, type TurnStep, turnState } from "./turn-context.ts";

/** What a running call wants to know: for itself, or for a subagent of its own. */
type Asked =
  | { readonly question: ToolQuestion; readonly reply: (answer: ToolAnswer) => void }
  | { readonly relayed: QuestionRequest; readonly reply: (answer: Answered) => void };

/** Runs a tool that may run; its progress and its questions climb to the driver, whatever it throws is its result. */
export async function* runTool(
  turn: TurnContext,
  { tool, input, state }: { readonly tool: AnyTool; readonly input: never; readonly state: CallState },
): AsyncGenerator<TurnStep, ToolResult> {
  const pacer = new ProgressThrottle(turn.services, { callId: state.call.id, name: tool.name });
  const asker = new Asker(turn, tool, state);
  const running = tool.run(input, toolContext(turn, state.call.id, asker));
  try {
    let next = advance(running);
    let asking = asker.next();
    for (;;) {
      const step = await Promise.race([next, asking, pacer.due()]);
      if (step.kind === "asked") {
        yield* asker.put(step.asked);
        asking = asker.next();
      } else if (step.kind === "step") {
        if (step.result.done === true) return step.result.value;
        next = advance(running);
        pacer.take(step.result.value);
      }
      const progress = pacer.next();
      if (progress !== undefined) yield progress;
    }
  } catch (thrown) {
    const outcome = turn.signal.aborted ? "cancelled" : "error";
    return { outcome, content: [textPart(toHostError(thrown, "tool_failed").message)] };
  } finally {
    pacer.close();
    // When the driver leaves, the tool hears of it by its signal; its clean-up need not be waited for.
    running.return({ outcome: "cancelled", content: [] }).catch(() => undefined);
  }
}

const advance = (running: AsyncGenerator<ToolProgress, ToolResult, void>) =>
  running.next().then((result) => ({ kind: "step" as const, result }));

/** Turns what a tool asks into questions of the turn, and their ends into its answers. */
class Asker implements QuestionAsker {
  readonly #turn: TurnContext;
  readonly #tool: AnyTool;
  readonly #state: CallState;
  readonly #inbox: Asked[] = [];
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

  async next(): Promise<{ readonly kind: "asked"; readonly asked: Asked }> {
    for (;;) {
      const asked = this.#inbox[0];
      if (asked !== undefined) return { kind: "asked", asked };
      await this.#changed.promise;
      this.#changed = Promise.withResolvers<void>();
    }
  }

  /** Brings a question before people; the tool gets the answer when there is one. */
  async *put(asked: Asked): AsyncGenerator<TurnStep, void> {
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
    const { questions } = turnState(this.#turn).prompt;
    const refusal = questions.mode === "refuse" ? questions.reason : questions.refuse?.[asked.question.kind];
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

  /** A question of this call that is open since before a restart. */
  #openQuestion(): string | undefined {
    const { questions } = this.#turn.log.state;
    const mine = questions.find(
      ({ request }) => request.callId === this.#state.call.id && request.type !== "approval.request",
    );
    return this.#asked === this.#state.answers.length + 1 ? mine?.request.requestId : undefined;
  }

  #request(question: ToolQuestion): QuestionRequest {
    const { services, turnId, questions } = this.#turn;
    const { clarifyMs, sudoMs, secretMs } = services.policy().questions;
    const requestId = `req_${services.hex(8)}`;
    const base = {
      requestId,
      turnId,
      callId: this.#state.call.id,
      beforeEffect: this.#tool.effect === "pure",
    };
    switch (question.kind) {
      case "clarify": {
        const { question: text, choices } = question;
        return {
          ...base,
          type: "clarify.request",
          question: text,
          choices,
          timeoutMs: clarifyMs,
        } satisfies ClarifyRequest;
      }
      case "sudo": {
        const { command } = question;
        const publicKey = questions.keyFor(requestId);
        return { ...base, type: "sudo.request", command, publicKey, timeoutMs: sudoMs } satisfies SudoRequest;
      }
      case "secret": {
        const { envVar, prompt } = question;
        const publicKey = questions.keyFor(requestId);
        return {
          ...base,
          type: "secret.request",
          envVar,
          prompt,
          publicKey,
          timeoutMs: secretMs,
        } satisfies SecretRequest;
      }
    }
  }
}

function toolAnswer({ resolution, secret }: Answered): ToolAnswer {
  if (resolution.outcome === "answered")
    return { outcome: "answered", text: secret ?? resolution.text ?? "" };
  return { outcome: resolution.outcome, reason: reasonOf(resolution) };
}

function reasonOf(resolution: Exclude<Resolution, { outcome: "answered" }>): string {
  return resolution.outcome === "expired" ? "Nobody answered in time." : resolution.reason;
}
