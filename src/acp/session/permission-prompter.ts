import type {
  QuestionAnswer,
  ApprovalRequest,
  ClarifyRequest,
  Origin,
  QuestionPolicy,
  QuestionRequest,
  Session,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import type { ProjectedCall } from "../projection/conversation-update.ts";
import type { ClientPeer } from "./client-peer.ts";

const NO_SECRETS =
  "this client is an editor, which has no place to type a secret safely. Ask the user to do this step in a terminal";
const NO_FORMS =
  "this client cannot show questions. Ask in the text of your reply and end your turn there; the user answers with the next prompt";

/** What may be asked in turns that a client begins, and what the model is told of the rest. */
export const questionPolicy = ({ form }: ClientCapabilities): QuestionPolicy => ({
  mode: "ask",
  refuse: { sudo: NO_SECRETS, secret: NO_SECRETS, ...(form ? {} : { clarify: NO_FORMS }) },
});

export interface PrompterPorts {
  readonly peer: ClientPeer;
  /** This client among all that write to sessions. */
  readonly from: Origin;
  readonly report: (thrown: unknown) => void;
  /** Stops the turn that asks, if it is this client's. */
  readonly stop: () => Promise<void>;
}

/** Brings a session's open questions before the client, and its answers back; whoever answers first wins. */
export class PermissionPrompter {
  readonly #session: Session;
  readonly #ports: PrompterPorts;
  readonly #open = new Map<string, AbortController>();

  constructor(session: Session, ports: PrompterPorts) {
    this.#session = session;
    this.#ports = ports;
  }

  /** Asks the client, when it can show such a question. */
  ask(request: QuestionRequest, call: ProjectedCall | undefined): void {
    if (this.#open.has(request.requestId)) return;
    switch (request.type) {
      case "approval.request":
        return this.#run(request, (signal) => this.#permission(request, call, signal));
      case "clarify.request":
        if (!this.#ports.peer.abilities.form) return;
        return this.#run(request, (signal) => this.#form(request, signal));
      case "sudo.request":
      case "secret.request":
        // What is typed into an editor's form is no secret; prompts from here do not ask for any.
        return;
    }
  }

  /** A question is over, whoever answered it: the client need not show it any longer. */
  settle(requestId: string): void {
    const controller = this.#open.get(requestId);
    this.#open.delete(requestId);
    controller?.abort();
  }

  /** The client is leaving, or nothing is asked any more. */
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
      await this.#session.answer(requestId, answer, this.#ports.from);
    };
    asking().catch((thrown: unknown) => {
      // Somebody else was faster, or the turn is over.
      const isLate = thrown instanceof HostError && thrown.code === "question_not_pending";
      if (!isLate && !signal.aborted) this.#ports.report(thrown);
    });
  }

  async #permission(
    request: ApprovalRequest,
    call: ProjectedCall | undefined,
    signal: AbortSignal,
  ): Promise<QuestionAnswer> {
    const { id: sessionId, state } = this.#session;
    try {
      const choice = await this.#ports.peer.askPermission(
        { sessionId, request, call, cwd: state.cwd },
        signal,
      );
      if (choice !== "cancelled") return { choice: choice ?? "deny" };
      // Nobody wants what the turn is about any more. To the turn of somebody else it is a no.
      await this.#ports.stop();
      return { choice: "deny" };
    } catch {
      // Nobody can be asked here, and no answer is no consent.
      return { choice: "deny", text: "The editor could not show the permission request." };
    }
  }

  async #form(request: ClarifyRequest, signal: AbortSignal): Promise<QuestionAnswer> {
    try {
      const text = await this.#ports.peer.askForm(this.#session.id, request, signal);
      return text === undefined ? { declined: true } : { text };
    } catch {
      // The client said that it has forms, and refused this one: the model goes on without an answer.
      return { declined: true };
    }
  }
}
