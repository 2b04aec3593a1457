import type { Usage } from "../../core/index.ts";

/** Tokens in the words of the responses API. */
export const encodeTokens = ({ input, output }: Usage) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});
