import type { ToolResultMessage } from "../../../../core/index.ts";
import type { DemoIntent } from "./intents.ts";

const GREETING = [
  "I am the built-in demo model: I run on this machine, need no key, and follow a few fixed phrases. I am no language model.",
  "",
  "Try one of these:",
  "- run `ls`",
  "- read README.md",
  "- list files, search for TODO",
  "- write notes.txt: hello, edit notes.txt: replace hello with goodbye",
  "- ask me, todo, think, count to 100, fail",
  "",
  "To talk to a real model, run `agent setup`, or set model.provider in config.yaml.",
].join("\n");

const LONGEST_SHOWN = 1000;

/** The reply of the demo model to a prompt that needs no tool. */
export function demoAnswer(intent: Exclude<DemoIntent, { type: "calls" | "fail" }>): string {
  switch (intent.type) {
    case "greet":
      return GREETING;
    case "think":
      return `I thought about ${intent.about === "" ? "it" : intent.about} for as long as a demo model can: not at all, but it looked that way.`;
    case "count":
      return Array.from({ length: intent.to }, (_, place) => place + 1).join(" ");
    case "echo":
      return `You said: ${shown(intent.text)}\n\nI am the demo model and only follow a few phrases. Say \`help\` to see them, or run \`agent setup\` to use a real model.`;
  }
}

export const thoughtsOf = (about: string): string =>
  `The user wants me to think${about === "" ? "" : ` about ${about}`}. A demo model has no thoughts of its own, so I show how reasoning streams: first one step, then another, then the answer.`;

/** The reply of the demo model to the results of its calls. */
export const answerAbout = (results: readonly ToolResultMessage[]): string =>
  results.map(aboutOne).join("\n\n");

function aboutOne({ name, content, isError }: ToolResultMessage): string {
  const text = content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n")
    .trim();
  if (isError) return `\`${name}\` did not work: ${shown(text)}`;
  if (name === "clarify") return `You answered: ${shown(text)}`;
  return text === ""
    ? `\`${name}\` is done; it had nothing to say.`
    : `\`${name}\` gave:\n\`\`\`\n${shown(text)}\n\`\`\``;
}

export const noSuchTool = (names: readonly string[]): string =>
  `I would need ${names.map((name) => `\`${name}\``).join(" and ")} for that, which this session does not have.`;

const shown = (text: string): string =>
  text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…`;
