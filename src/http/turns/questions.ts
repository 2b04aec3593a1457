import type { QuestionPolicy } from "../../core/index.ts";

const CANNOT = "the client of this API can answer approvals only; go on without, and say what you would need";

/** Approvals can be answered over the API; other questions cannot. */
export const ASK_APPROVALS: QuestionPolicy = {
  mode: "ask",
  refuse: { clarify: CANNOT, sudo: CANNOT, secret: CANNOT },
};

/** A single call has nobody behind it. */
export const ASK_NOBODY: QuestionPolicy = {
  mode: "refuse",
  reason: "nobody can answer questions here: this is a single API call",
};
