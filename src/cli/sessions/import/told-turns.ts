import { NO_USAGE, type PastEvent, textPart, type ToolContent, type UserPart } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";

type Outcome = Extract<PastEvent["event"], { type: "tool.complete" }>["outcome"];
type TurnOutcome = Extract<PastEvent["event"], { type: "turn.end" }>["outcome"];

/** A call as another program tells of it. */
export interface ToldCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly label?: string;
}

/** The result of a call. */
export interface ToldResult {
  readonly text: string;
  readonly outcome: Outcome;
}

interface OpenReply {
  texts: string[];
  reasoning: string[];
  readonly calls: Map<string, ToldCall>;
  readonly results: Map<string, ToldResult>;
  readonly at: number;
  provider: string;
  model: string;
  /** The name that the other program gave it. */
  readonly name: string | undefined;
}

/** Calls of one reply, at most. */
export const MOST_CALLS = 1000;
/** The longest first line of a call's input that names it in lists. */
const LABEL_CHARACTERS = 120;

/**
 * A maker of events from what another program tells of a session: prompts, pieces of replies, results. A reply with calls is
 * one event, so that it is written when the next one, or the next prompt, begins.
 */
export class ToldTurns {
  readonly #events: PastEvent[] = [];
  #turn = 0;
  #isOpen = false;
  #reply: OpenReply | undefined;
  #at = 0;

  /** All that was told; a turn that is open ends here. */
  events(): readonly PastEvent[] {
    this.end("completed");
    return this.#events;
  }

  prompt(parts: readonly UserPart[], at: number): void {
    this.end("completed");
    this.#at = at;
    this.#turn += 1;
    this.#isOpen = true;
    const { id, from, questions } = {
      id: "",
      from: { surface: "import" },
      questions: { mode: "ask" },
    } as const;
    this.#add({ type: "turn.start", turnId: String(this.#turn), prompt: { id, parts, from, questions } });
  }

  /** A piece of a reply: of the one before when `name` is the same, or while that has no result yet. */
  reply(
    piece: { readonly text?: string; readonly reasoning?: string; readonly call?: ToldCall },
    said: {
      readonly at: number;
      readonly model?: string;
      readonly provider?: string;
      readonly name?: string;
    },
  ): void {
    this.#begin(said.at);
    const { name, provider = "", model = "" } = said;
    const before = this.#reply;
    const goesOn =
      before !== undefined &&
      before.calls.size < MOST_CALLS &&
      (name === undefined ? before.results.size === 0 : before.name === name);
    if (!goesOn) this.#flush();
    const { at } = said;
    this.#reply ??= {
      texts: [],
      reasoning: [],
      calls: new Map(),
      results: new Map(),
      at,
      provider,
      model,
      name,
    };
    if (piece.text !== undefined && piece.text !== "") this.#reply.texts.push(piece.text);
    if (piece.reasoning !== undefined && piece.reasoning !== "") this.#reply.reasoning.push(piece.reasoning);
    if (piece.call !== undefined) this.#reply.calls.set(piece.call.id, piece.call);
  }

  /** The result of a call; one that nobody made is left out. */
  result(callId: string, result: ToldResult, at: number): void {
    const reply = this.#reply;
    if (reply?.calls.has(callId) !== true || reply.results.has(callId)) return;
    this.#at = at;
    reply.results.set(callId, result);
  }

  steer(text: string, at: number): void {
    this.#begin(at);
    this.#flush();
    this.#add({ type: "steer.delivered", turnId: String(this.#turn), steerIds: [], text });
  }

  /** Ends the turn, if one is open. */
  end(outcome: TurnOutcome, reason?: string): void {
    this.#flush();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const turnId = String(this.#turn);
    const status = outcome === "completed" ? "complete" : outcome === "failed" ? "error" : "interrupted";
    this.#add({ type: "message.complete", turnId, from: 0, status, usage: NO_USAGE, ...defined({ reason }) });
    this.#add({ type: "turn.end", turnId, outcome, usage: NO_USAGE, ...defined({ reason }) });
  }

  /** An answer without a prompt belongs to a turn, too. */
  #begin(at: number): void {
    if (!this.#isOpen) this.prompt([], at);
    this.#at = at;
  }

  #flush(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    if (reply === undefined) return;
    const { texts, reasoning, calls, results, at, provider, model } = reply;
    const turnId = String(this.#turn);
    const segments = (["reasoning", "text"] as const).flatMap((kind) => {
      const text = (kind === "text" ? texts : reasoning).join("\n\n");
      return text === "" ? [] : [{ kind, cursor: 0, text }];
    });
    const asked = [...calls.values()].map(({ id, name, input }) => ({ id, name, input }));
    const finish = calls.size === 0 ? "stop" : "tool_calls";
    this.#add(
      { type: "reply.complete", turnId, segments, calls: asked, finish, usage: NO_USAGE, provider, model },
      at,
    );
    for (const call of calls.values()) this.#tool(turnId, call, results.get(call.id));
  }

  #tool(turnId: string, call: ToldCall, result: ToldResult | undefined): void {
    const { id: callId, name, input, label = labelOf(call) } = call;
    this.#add({ type: "tool.start", turnId, callId, name, kind: "other", label, input });
    if (result === undefined) return;
    const { outcome, text } = result;
    const content: readonly ToolContent[] = text === "" ? [] : [textPart(text)];
    this.#add({ type: "tool.complete", turnId, callId, name, label, outcome, content, durationMs: 0 });
  }

  #add(event: PastEvent["event"], at = this.#at): void {
    this.#events.push({ seq: this.#events.length + 1, at, event });
  }
}

/** The first text of its input says what a call is about. */
function labelOf({ name, input }: ToldCall): string {
  const first = Object.values(input).find((value) => typeof value === "string" && value.trim() !== "");
  const [line = ""] = typeof first === "string" ? first.trim().split("\n", 1) : [];
  return line === "" ? name : `${name}: ${line.slice(0, LABEL_CHARACTERS)}`;
}
