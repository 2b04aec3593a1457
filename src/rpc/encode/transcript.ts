import { promptText, type TranscriptEntry } from "../../core/index.ts";
import type { TranscriptMessage } from "../protocol/transcript-message.ts";
import { seconds } from "./time.ts";

/** Characters of a result in a list of messages; the whole of it came with its event. */
const RESULT_SHOWN = 4000;

/** A line of the conversation as clients render it. */
export function encodeTranscriptEntry(entry: TranscriptEntry): TranscriptMessage {
  const base = { row_id: entry.seq, timestamp: seconds(entry.at) };
  switch (entry.role) {
    case "user": {
      const images = entry.parts.filter(({ type }) => type === "image").length;
      return { role: "user", text: promptText(entry.parts), ...base, ...(images === 0 ? {} : { images }) };
    }
    case "steer":
      return { role: "user", text: entry.text, display_kind: "steer", ...base };
    case "assistant": {
      const { text, reasoning } = entry;
      return { role: "assistant", text, ...(reasoning === "" ? {} : { reasoning }), ...base };
    }
    case "tool": {
      const { name, label, callId, outcome, text } = entry;
      const result = text.slice(0, RESULT_SHOWN).toWellFormed();
      return {
        role: "tool",
        name,
        context: label,
        tool_call_id: callId,
        outcome,
        result_text: result,
        ...base,
      };
    }
    case "summary":
      return { role: "system", text: entry.text, display_kind: "summary", ...base };
    case "end":
      return { role: "system", text: entry.text, display_kind: entry.outcome, ...base };
  }
}
