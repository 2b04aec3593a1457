import { messagesProblems } from "../../../../kit/messages-validator.ts";
import type { DialectUnderTest } from "../behaviour.ts";

export const messages: DialectUnderTest = {
  name: "messages",
  block: { provider: "messages", default: "claude-sonnet-4-5" },
  env: { CLOUD_MESSAGES_KEY: "sk-test-0123456789" },
  path: "/v1/messages",
  // One event says why the reply ended and what it took.
  wholeFrom: "after-usage",
  problems: messagesProblems,
};
