import { promptText, type SessionEvent } from "../../../core/index.ts";
import { encodeSse } from "../../server/encode-sse.ts";
import { TurnAnswerFold } from "../../turns/turn-answer.ts";
import { encodeTokens } from "../../turns/answer-usage.ts";
import { encodeApprovalRequest } from "../../turns/encode-approval.ts";
import type { Run } from "../../turns/runs.ts";
import { encodeRowMessages, type WireMessage } from "./messages.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Makes the frames of a session's chat stream of the events of its turn. */
export class SessionStreamEncoder {
  readonly #run: Run;
  readonly #runtime: Fields;
  readonly #messageId: string;
  readonly #fold = new TurnAnswerFold();
  readonly #messages: WireMessage[] = [];
  readonly #reasoning: boolean;
  #n = 0;

  constructor(run: Run, { runtime, reasoning }: { readonly runtime: Fields; readonly reasoning: boolean }) {
    this.#run = run;
    this.#reasoning = reasoning;
    this.#runtime = runtime;
    this.#messageId = `msg_${run.runId.slice("run_".length)}`;
  }

  event(event: SessionEvent): string {
    this.#fold.add(event);
    if (event.type === "reply.complete" || event.type === "tool.complete")
      this.#messages.push(...encodeRowMessages({ n: (this.#n += 1), event }));
    const frames = this.#frames(event);
    // The cursor stands on the last one: whoever has it has them all.
    return frames
      .map(([name, fields], index) => this.#frame(name, fields, { event, last: index === frames.length - 1 }))
      .join("");
  }

  #frames(event: SessionEvent): readonly (readonly [name: string, fields: Fields])[] {
    const message = { message_id: this.#messageId };
    switch (event.type) {
      case "turn.start":
        return [
          [
            "run.started",
            {
              user_message: { role: "user", content: promptText(event.prompt.parts) },
              runtime: this.#runtime,
            },
          ],
          ["message.started", { message: { id: this.#messageId, role: "assistant" } }],
        ];
      case "message.delta":
        return [["assistant.delta", { ...message, delta: event.text }]];
      case "reasoning.delta":
        return this.#reasoning ? [["reasoning.delta", { ...message, delta: event.text }]] : [];
      case "tool.start": {
        const { name, label, input, callId } = event;
        return [
          [
            "tool.started",
            { ...message, tool_name: name, preview: label, args: input, tool_call_id: callId },
          ],
        ];
      }
      case "tool.complete": {
        const { name, label, outcome, callId } = event;
        const word = outcome === "ok" ? "tool.completed" : "tool.failed";
        return [[word, { ...message, tool_name: name, preview: label, tool_call_id: callId, outcome }]];
      }
      case "approval.request":
        return [["approval.request", encodeApprovalRequest(event)]];
      case "approval.resolved":
        return [["approval.responded", { request_id: event.requestId, outcome: event.resolution.outcome }]];
      case "turn.end":
      case "prompt.dropped":
        return this.#end();
      default:
        return [];
    }
  }

  #end(): readonly (readonly [name: string, fields: Fields])[] {
    const { outcome, text, usage, error } = this.#fold.answer;
    const completed = outcome === "completed";
    const stopped = outcome === "cancelled" || outcome === "interrupted";
    const flags = { completed, partial: !completed && text !== "", interrupted: stopped };
    const message = { message_id: this.#messageId };
    const end = completed ? "run.completed" : stopped ? "run.cancelled" : "run.failed";
    const failure =
      error === undefined ? [] : [["error", { message: error.message, code: error.code }] as const];
    return [
      ["assistant.completed", { ...message, content: text, ...flags, runtime: this.#runtime }],
      [
        end,
        {
          ...message,
          ...flags,
          messages: this.#messages,
          usage: encodeTokens(usage),
          runtime: this.#runtime,
        },
      ],
      ...failure,
      ["done", {}],
    ];
  }

  #frame(
    name: string,
    fields: Fields,
    { event, last }: { readonly event: SessionEvent; readonly last: boolean },
  ): string {
    const { runId, session } = this.#run;
    const data = JSON.stringify({
      session_id: session,
      run_id: runId,
      seq: event.seq,
      ts: event.at / 1000,
      ...fields,
    });
    return encodeSse(last ? { event: name, id: event.seq, data } : { event: name, data });
  }
}
