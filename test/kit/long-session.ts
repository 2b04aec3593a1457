import { eventLine, type DurableEvent, NO_USAGE } from "../../src/core/index.ts";

/**
 * A session of so many turns as a file that `agent sessions import` reads: each has nine events, calls with output and an
 * answer in Markdown among them.
 */
export function longSessionFile(turns: number): string {
  const lines: string[] = [];
  let seq = 0;
  let at = Date.UTC(2026, 0, 1);
  const write = (event: DurableEvent, later: number): void => {
    // Rows are what is written; text that streamed stands in its row.
    lines.push(
      eventLine("long", { ...event, seq: (seq += 1), at: (at += later) } as Parameters<typeof eventLine>[1]),
    );
  };
  const call = (turnId: string, callId: string, lasting: number): void => {
    const call = { turnId, callId, name: "read_file", label: `Read src/file-${callId}.ts` } as const;
    write({ type: "tool.start", ...call, kind: "read", input: { path: `src/file-${callId}.ts` } }, 20);
    const text = `export const value = "${callId}";\n`.repeat(1 + (seq % 12));
    write(
      {
        type: "tool.complete",
        ...call,
        outcome: seq % 37 === 0 ? "error" : "ok",
        content: [{ type: "text", text }],
        durationMs: lasting,
      },
      lasting,
    );
  };
  for (let turn = 1; turn <= turns; turn += 1) {
    const turnId = `turn_${turn}`;
    const from = seq;
    const replied = { type: "reply.complete", turnId, provider: "local", model: "m" } as const;
    const usage = { ...NO_USAGE, calls: 1, input: 1200, output: 80 };
    write(
      {
        type: "turn.start",
        turnId,
        prompt: {
          id: `prompt_${turn}`,
          parts: [{ type: "text", text: `Question ${turn}` }],
          from: { surface: "cli" },
          questions: { mode: "ask" },
        },
      },
      60_000,
    );
    const ids = ["a", "b"].map((each) => `${turn}${each}`);
    const calls = ids.map((id) => ({ id, name: "read_file", input: {} }));
    write({ ...replied, segments: [], calls, finish: "tool_calls", usage, askedAt: at + 50 }, 1500);
    for (const id of ids) call(turnId, id, 400);
    const text = `Answer **${turn}**, with a list:\n\n- one\n- two\n\n\`\`\`ts\nconst answer = ${turn};\n\`\`\`\n`;
    const segments = [{ kind: "text", cursor: seq, text } as const];
    write({ ...replied, segments, calls: [], finish: "stop", usage, askedAt: at + 10 }, 2500);
    write({ type: "message.complete", turnId, from, status: "complete", usage }, 0);
    write({ type: "turn.end", turnId, outcome: "completed", usage, finish: "stop" }, 0);
  }
  return lines.join("");
}
