import { z } from "zod";
import { defined } from "../../../shared/json/defined.ts";
import { USER_PARTS } from "./event-schemas.ts";
import { checked } from "./file-lines.ts";
import { endpointWord } from "./told-text.ts";
import { ToldTurns } from "./told-turns.ts";
import type { FileValue, Imported } from "./imported.ts";

const at = z.number().min(0).max(8.64e15);
const text = z.string();

const Entry = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), at, parts: USER_PARTS }),
  z.object({ role: z.literal("steer"), at, text }),
  z.object({ role: z.literal("assistant"), at, text, reasoning: text, model: text.max(256) }),
  z.object({
    role: z.literal("tool"),
    at,
    text,
    callId: text,
    name: text,
    label: text,
    outcome: z.enum(["ok", "error", "denied", "cancelled", "unknown"]),
  }),
  z.object({ role: z.literal("summary"), at, text }),
  z.object({
    role: z.literal("end"),
    at,
    text,
    outcome: z.enum(["cancelled", "failed", "interrupted"]),
  }),
]);

const Transcript = z.object({
  session_id: text.max(256).optional(),
  title: text.optional(),
  cwd: text.optional(),
  messages: z.array(Entry),
});

/** Whether a value is a conversation as `/export <file>.json` writes it. */
export const isTranscript = (value: unknown): boolean =>
  z.object({ messages: z.array(z.unknown()) }).safeParse(value).success;

/**
 * Reads a conversation that the chat wrote. It has no inputs of calls: their labels stand for them.
 *
 * @throws HostError `invalid_params` with the message that is wrong
 */
export function readTranscriptFile({ line, value }: FileValue): Imported {
  const { session_id: originId, title, cwd, messages } = checked(Transcript, value, line);
  const turns = new ToldTurns();
  let reply = 0;
  for (const entry of messages) {
    // Calls belong to the answer before them.
    if (entry.role !== "tool") reply += 1;
    tell(turns, entry, String(reply));
  }
  const untitled = title === `Session ${originId ?? ""}`;
  return {
    past: { events: turns.events(), origin: "agent", ...defined({ originId }) },
    ...defined({ title: untitled ? undefined : title, cwd }),
  };
}

function tell(turns: ToldTurns, entry: z.output<typeof Entry>, name: string): void {
  const said = { at: Math.trunc(entry.at), name };
  switch (entry.role) {
    case "user":
      return turns.prompt(entry.parts, said.at);
    case "steer":
      return turns.steer(entry.text, said.at);
    case "assistant":
      return turns.reply({ text: entry.text, reasoning: entry.reasoning }, { ...said, model: entry.model });
    case "tool": {
      const { label, outcome } = entry;
      const call = {
        id: endpointWord(entry.callId),
        name: endpointWord(entry.name),
        input: { label },
        label,
      };
      turns.reply({ call }, said);
      return turns.result(call.id, { text: entry.text, outcome }, said.at);
    }
    case "summary":
      // The conversation that it stands for is in the file, too.
      return;
    case "end":
      return turns.end(entry.outcome, entry.text === "" ? undefined : entry.text);
  }
}
