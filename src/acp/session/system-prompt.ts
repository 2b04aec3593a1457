import { HostError } from "../../shared/errors/host-error.ts";

/** What a client wants the model to be told beside what it is told anyway, as both versions write it. */
export interface SystemPromptWire {
  readonly mode: string;
  readonly content: readonly { readonly type: string }[];
}

/**
 * The words of it, for the session's instructions.
 *
 * @throws HostError `invalid_params` for a mode other than `append`, or content that is no text
 */
export function instructionsIn(prompt: SystemPromptWire | null | undefined): string | undefined {
  if (prompt === undefined || prompt === null) return undefined;
  if (prompt.mode !== "append")
    throw invalid("systemPrompt.mode", `${prompt.mode} is not offered; use append`);
  const texts = prompt.content.map((block, index) => {
    if ("text" in block && typeof block.text === "string") return block.text;
    throw invalid(`systemPrompt.content.${index}`, "it is no text");
  });
  return texts.join("\n\n");
}

const invalid = (place: string, problem: string): HostError =>
  new HostError("invalid_params", `Invalid params: ${place}: ${problem}.`, { details: { subject: place } });
