import type { Client } from "../client.ts";
import { isAnswerWord } from "../command-text.ts";
import { shownQuestion } from "./question-keys.ts";

/**
 * Keeps a word in the composer that was meant for the open question: as a prompt it would mean nothing, and it answers
 * nothing either. Says how the question is answered.
 *
 * @returns whether it was such a word
 */
export function keptFromPrompt(client: Client, text: string): boolean {
  const open = shownQuestion(client.store.state);
  if (open === undefined || open.answering.over || !isAnswerWord(text)) return false;
  client.store.update({ hint: "Alt+A goes into the question; Ctrl+S sends this to the agent" });
  return true;
}
