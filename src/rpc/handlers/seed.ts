import { type GivenMessage, textPart } from "../../core/index.ts";

/** What a client says was said before; anything but text of a user or an assistant is left out. */
export function givenMessages(
  messages: readonly Readonly<Record<string, unknown>>[],
): readonly GivenMessage[] {
  return messages.flatMap((message): GivenMessage[] => {
    const { role, content, text = content } = message;
    if (typeof text !== "string" || text.trim() === "") return [];
    if (role === "user" || role === "system") return [{ role: "user", parts: [textPart(text)] }];
    return role === "assistant" ? [{ role, text }] : [];
  });
}
