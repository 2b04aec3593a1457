import type { Origin } from "../events/prompt.ts";
import type {
  ApprovalRequest,
  QuestionRequest,
  QuestionResolved,
  Resolution,
} from "../events/question-events.ts";
import { seal } from "../../shared/crypto/sealed-secret.ts";
import type { SessionActor } from "../session/session-actor.ts";
import type { ParentCall } from "../turn/subagent-port.ts";

/** The copy of an open question, in the parent's log. */
interface Copy {
  readonly id: string;
  readonly over: AbortController;
}

interface RelayPorts {
  readonly call: ParentCall;
  readonly parent: SessionActor;
  readonly child: SessionActor;
  readonly goal: string;
}

/**
 * A relay that shows a subagent's questions to the people at its parent, as copies in the parent's log. Whichever of the
 * two is answered or over first, the other one ends the same way.
 */
export class QuestionRelay {
  readonly #ports: RelayPorts;
  readonly #copies = new Map<string, Copy>();
  /** Milliseconds of the waits that are over. The beginning of the present one follows. */
  #waitedMs = 0;
  #since: number | undefined;

  constructor(ports: RelayPorts) {
    this.#ports = ports;
  }

  get asking(): boolean {
    return this.#copies.size > 0;
  }

  /** Milliseconds that the subagent has waited for answers so far. */
  get waitedMs(): number {
    const { clock } = this.#ports.child.services;
    return this.#waitedMs + (this.#since === undefined ? 0 : clock.monotonic() - this.#since);
  }

  /** Relays a question of the subagent. Resolves when the question is over. */
  async onQuestion(request: QuestionRequest): Promise<void> {
    const { call, child, parent, goal } = this.#ports;
    const { requestId } = request;
    if (request.type === "approval.request" && covers(parent.log.state.allowed, request)) {
      const resolution: Resolution = { outcome: "answered", choice: "once", by: ALLOWED_BEFORE };
      await child.run("settle", { requestId, resolution });
      return;
    }
    const copy: Copy = { id: `req_${child.services.hex(8)}`, over: new AbortController() };
    this.#copies.set(requestId, copy);
    this.#since ??= child.services.clock.monotonic();
    const { resolution, secret } = await call.ask({
      ...named(request, goal),
      requestId: copy.id,
      child: { sessionId: child.id, requestId, goal },
    });
    copy.over.abort();
    if (!this.#close(requestId)) return;
    const isSecret = request.type === "sudo.request" || request.type === "secret.request";
    if (isSecret && resolution.outcome === "answered") {
      const answer = { sealed: seal(secret ?? "", request.publicKey) };
      await child.run("answer", { requestId, answer, from: resolution.by });
    } else await child.run("settle", { requestId, resolution });
  }

  /** Ends the copy of a question of the subagent that is over, unless the copy was what ended it. */
  async onResolved({ requestId, resolution }: QuestionResolved): Promise<void> {
    const copy = this.#copies.get(requestId);
    this.#close(requestId);
    if (copy !== undefined) await this.#settle(copy, resolution);
  }

  /** Closes a question; `false` when it was closed before. */
  #close(requestId: string): boolean {
    const waited = this.waitedMs;
    const wasOpen = this.#copies.delete(requestId);
    if (this.#copies.size > 0 || this.#since === undefined) return wasOpen;
    this.#waitedMs = waited;
    this.#since = undefined;
    return wasOpen;
  }

  /** Ends a copy. It may still be on its way to the parent's log when its question ends. */
  async #settle({ id, over }: Copy, resolution: Resolution): Promise<void> {
    const { parent, call } = this.#ports;
    const signal = AbortSignal.any([call.signal, over.signal]);
    using listener = parent.log.listen(signal);
    const isOpen = (): boolean => parent.log.state.questions.some(({ request }) => request.requestId === id);
    while (!isOpen() && !signal.aborted) await listener.wait();
    if (!signal.aborted) await parent.run("settle", { requestId: id, resolution });
  }
}

/** Whether the parent has been allowed this since the subagent began, itself or through another subagent. */
const covers = (allowed: readonly string[], { patterns }: ApprovalRequest): boolean =>
  patterns.length > 0 && patterns.every((pattern) => allowed.includes(pattern));

const ALLOWED_BEFORE: Origin = { surface: "session" };

/** Says who asks, where a question has words for people. */
function named(request: QuestionRequest, goal: string): QuestionRequest {
  const who = `Asked by a subagent: ${goal}`;
  switch (request.type) {
    case "approval.request":
      return { ...request, description: `${request.description}\n${who}` };
    case "secret.request":
      return { ...request, prompt: `${request.prompt}\n${who}` };
    case "clarify.request":
      return { ...request, question: `${request.question}\n${who}` };
    case "sudo.request":
      return request;
  }
}
