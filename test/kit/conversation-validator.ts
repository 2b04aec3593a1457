import type { ModelMessage } from "../../src/core/index.ts";

const ID = /^[A-Za-z0-9_-]{1,40}$/;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What is wrong with a conversation that is to be sent to a model; empty when every dialect can take it. */
export function conversationFaults(messages: readonly ModelMessage[]): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  const first = messages[0];
  if (first !== undefined && first.role !== "user") faults.push(`starts with ${first.role}`);
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const at = `message ${index} (${message.role})`;
    if (before?.role === message.role) faults.push(`${at} follows another of its kind`);
    switch (message.role) {
      case "user":
        if (message.parts.length === 0) faults.push(`${at} is empty`);
        for (const part of message.parts) {
          if (part.type === "text" && part.text.trim() === "") faults.push(`${at} has an empty text`);
        }
        break;
      case "assistant": {
        if (message.text.trim() === "" && message.calls.length === 0) faults.push(`${at} says nothing`);
        for (const { id, name, input } of message.calls) {
          if (ids.has(id)) faults.push(`${at} repeats call id ${id}`);
          ids.add(id);
          if (!ID.test(id)) faults.push(`${at} has an illegal call id ${id}`);
          if (!NAME.test(name)) faults.push(`${at} has an illegal tool name ${name}`);
          if (typeof input !== "object" || input === null || Array.isArray(input))
            faults.push(`${at} has no object input`);
        }
        const next = messages[index + 1];
        if (message.calls.length > 0 && next?.role !== "tool") faults.push(`${at} has calls without results`);
        break;
      }
      case "tool": {
        const calls = before?.role === "assistant" ? before.calls.map(({ id }) => id) : [];
        const results = message.results.map(({ callId }) => callId);
        if (calls.join() !== results.join())
          faults.push(`${at} answers ${results.join()} instead of ${calls.join()}`);
      }
    }
  }
  const last = messages.at(-1);
  if (last?.role === "assistant") faults.push("ends with the assistant");
  if (!JSON.stringify(messages).isWellFormed()) faults.push("has a lone surrogate");
  return faults;
}
