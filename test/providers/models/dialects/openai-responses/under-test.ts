import { responsesProblems } from "../../../../kit/responses-validator.ts";
import type { DialectUnderTest } from "../behaviour.ts";

export const responses: DialectUnderTest = {
  name: "responses",
  block: { provider: "openai", default: "gpt-5.1", api_mode: "responses_api" },
  env: { OPENAI_API_KEY: "sk-test-0123456789" },
  path: "/v1/responses",
  // One event says that the reply is whole and what it took.
  wholeFrom: "after-usage",
  problems: responsesProblems,
};
