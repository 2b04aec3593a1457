import type { SystemPrompt } from "../ports/services.ts";

/** The smallest prompt that makes an agent of a model: who it is, where it works, how it uses its tools. */
export const basicSystemPrompt: SystemPrompt = ({ state, tools, toolsets }) => {
  const parts = [
    "You are an agent that helps people with their work. Be accurate, brief and honest about what you did.",
  ];
  if (state.cwd !== "") parts.push(`The workspace is ${state.cwd}. Relative paths start there.`);
  if (tools.length > 0) {
    parts.push(
      "Use tools to find out and to act instead of guessing. Say what you did, not what you could do. When a call fails or is denied, do not repeat it unchanged.",
    );
  }
  for (const { guidance } of toolsets) if (guidance !== undefined) parts.push(guidance);
  return parts.join("\n");
};
