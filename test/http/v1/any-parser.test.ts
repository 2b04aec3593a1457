import { createParser, type EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { callTool, say, scriptedModelWith, think } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { type Stage, stageWith, wireEvents } from "../stage.ts";

const WORDS = ["Zeile\nzwei\r\n", "data: no field\n\n", "🙂 \u2028 ", ": no comment", "id: 7\nevent: x\n"];

/** A server whose answers have in them what event streams are made of. */
function stage(): Promise<Stage> {
  const models = scriptedModelWith({
    otherwise: ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? [think("Hm."), ...WORDS.map(say), callTool("look")]
        : WORDS.toReversed().map(say),
  });
  return stageWith(models, {
    host: { toolsets: toolsOf(testTool("look")) },
    settings: { reasoning: true },
  });
}

/** The four kinds of event streams, as bytes. */
async function streams(api: Stage): Promise<readonly Uint8Array[]> {
  const { session } = (await (await api.post("/api/sessions", {})).json()) as { session: { id: string } };
  const { run_id: run } = (await (await api.post("/v1/runs", { input: "hi" })).json()) as { run_id: string };
  const answers = [
    api.post("/v1/chat/completions", { stream: true, messages: [{ role: "user", content: "hi" }] }),
    api.post("/v1/responses", { stream: true, input: "hi" }),
    api.post(`/api/sessions/${session.id}/chat/stream`, { message: "hi" }),
    api.ask(`/v1/runs/${run}/events`),
  ];
  return await Promise.all(answers.map(async (answer) => await (await answer).bytes()));
}

/** What a parser of somebody else's makes of bytes that come in these pieces. */
function parsed(bytes: Uint8Array, cuts: readonly number[]): readonly EventSourceMessage[] {
  const found: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => found.push(event) });
  const decoder = new TextDecoder();
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b);
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    parser.feed(decoder.decode(bytes.subarray(from, end), { stream: true }));
    from = end;
  }
  return found;
}

test("every event stream is read the same by any parser, wherever its bytes are split", async () => {
  await using api = await stage();
  for (const bytes of await streams(api)) {
    const events = wireEvents(new TextDecoder().decode(bytes));
    expect(events.length).toBeGreaterThan(3);
    const told = events.map(({ event, id, data }) => [event, id, data]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        const seen = parsed(bytes, cuts).map(({ event = "", id = "", data }) => [event, id, data]);
        expect(seen).toEqual(told);
      }),
    );
    for (const { data } of events) if (data !== "[DONE]") expect(JSON.parse(data)).toBeTypeOf("object");
  }
});
