import { promptText, type SessionEvent } from "../../../core/index.ts";
import { encodeSse } from "../../server/encode-sse.ts";
import { encodeApprovalRequest } from "../../turns/encode-approval.ts";
import { type ByType, callByType } from "../../../shared/union/by-type.ts";
import { forTypes, QUIET_EVENTS } from "../../turns/event-encoders.ts";
import type { TurnEncoder } from "../../turns/stream-turn.ts";
import { encodeTokens, TurnAnswerFold } from "../../turns/turn-answer.ts";
import type { Run } from "../../turns/runs.ts";
import { encodeRowMessages, type WireMessage } from "./messages.ts";

type Fields = Readonly<Record<string, unknown>>;

type Frames = readonly (readonly [name: string, fields: Fields])[];

/** The encoder of a session's chat stream. */
export class SessionStreamEncoder implements TurnEncoder {
  static readonly #encoders: ByType<SessionEvent, SessionStreamEncoder, Frames> = {
    ...forTypes([...QUIET_EVENTS, "reply.complete"], () => []),
    ...forTypes(["turn.end", "prompt.dropped"], (_event: SessionEvent, self: SessionStreamEncoder) =>
      self.#end(),
    ),
    "turn.start": ({ prompt: { parts } }, self) => [
      ["run.started", { user_message: { role: "user", content: promptText(parts) }, runtime: self.#runtime }],
      ["message.started", { message: { id: self.#messageId, role: "assistant" } }],
    ],
    "message.delta": ({ text }, self) => [["assistant.delta", { ...self.#message, delta: text }]],
    "reasoning.delta": ({ text }, self) =>
      self.#reasoning ? [["reasoning.delta", { ...self.#message, delta: text }]] : [],
    "tool.start": ({ name, label, input, callId }, self) => {
      self.#calls.set(callId, input);
      const fields = { tool_name: name, preview: label, args: input, tool_call_id: callId };
      return [["tool.started", { ...self.#message, ...fields }]];
    },
    "tool.complete": ({ name, label, outcome, callId }, self) => [
      [
        outcome === "ok" ? "tool.completed" : "tool.failed",
        {
          ...self.#message,
          tool_name: name,
          preview: label,
          args: self.#calls.get(callId),
          tool_call_id: callId,
          outcome,
        },
      ],
    ],
    "approval.request": (event) => [["approval.request", encodeApprovalRequest(event)]],
    "approval.resolved": ({ requestId, resolution }) => [
      ["approval.responded", { request_id: requestId, outcome: resolution.outcome }],
    ],
  };

  readonly #run: Run;
  readonly #runtime: Fields;
  readonly #messageId: string;
  readonly #fold = new TurnAnswerFold();
  readonly #messages: WireMessage[] = [];
  /** What the calls of the turn were given. */
  readonly #calls = new Map<string, unknown>();
  readonly #reasoning: boolean;
  #n = 0;
  /** Frames that were sent. */
  #seq = 0;

  constructor(run: Run, { runtime, reasoning }: { readonly runtime: Fields; readonly reasoning: boolean }) {
    this.#run = run;
    this.#reasoning = reasoning;
    this.#runtime = runtime;
    this.#messageId = `msg_${run.runId.slice("run_".length)}`;
  }

  get #message(): Fields {
    return { message_id: this.#messageId };
  }

  event(event: SessionEvent): string {
    this.#fold.add(event);
    if (event.type === "reply.complete" || event.type === "tool.complete")
      this.#messages.push(...encodeRowMessages({ n: (this.#n += 1), event }));
    const frames = callByType(SessionStreamEncoder.#encoders, event, this);
    // The cursor is on the last frame: a client that has it has all frames of the event.
    return frames
      .map(([name, fields], index) => this.#frame(name, fields, { event, last: index === frames.length - 1 }))
      .join("");
  }

  failed(): string {
    const data = JSON.stringify({ message: "The events could not be read to their end." });
    return encodeSse({ event: "error", data });
  }

  #end(): Frames {
    const { outcome, text, usage, error } = this.#fold.answer;
    const completed = outcome === "completed";
    const stopped = outcome === "cancelled" || outcome === "interrupted";
    const flags = { completed, partial: !completed && text !== "", interrupted: stopped };
    const end = completed ? "run.completed" : stopped ? "run.cancelled" : "run.failed";
    const failure =
      error === undefined ? [] : [["error", { message: error.message, code: error.code }] as const];
    const message = this.#message;
    const runtime = this.#runtime;
    return [
      ["assistant.completed", { ...message, content: text, ...flags, runtime }],
      [end, { ...message, ...flags, messages: this.#messages, usage: encodeTokens(usage), runtime }],
      ...failure,
      ["done", {}],
    ];
  }

  #frame(
    name: string,
    fields: Fields,
    { event, last }: { readonly event: SessionEvent; readonly last: boolean },
  ): string {
    const { runId: run_id, session: session_id } = this.#run;
    const data = JSON.stringify({
      session_id,
      run_id,
      seq: (this.#seq += 1),
      ts: event.at / 1000,
      ...fields,
    });
    return encodeSse(last ? { event: name, id: event.seq, data } : { event: name, data });
  }
}
