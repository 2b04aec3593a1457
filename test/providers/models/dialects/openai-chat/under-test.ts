import { chatProblems } from "../../../../kit/chat-validator.ts";
import type { DialectUnderTest } from "../behaviour.ts";

export const chatCompletions: DialectUnderTest = {
  name: "chat completions",
  block: { provider: "openai", default: "gpt-4o" },
  env: { OPENAI_API_KEY: "sk-test-0123456789" },
  path: "/v1/chat/completions",
  wholeFrom: "before-usage",
  problems: chatProblems,
};
