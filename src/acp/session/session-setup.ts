import { isAbsolute, resolve } from "node:path";
import { HostError } from "../../shared/errors/host-error.ts";
import type { McpServerSpec } from "../ports.ts";
import type { SessionSetup } from "./client-sessions.ts";
import { instructionsIn, type SystemPromptWire } from "./system-prompt.ts";

interface SetupWire {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly systemPrompt?: SystemPromptWire | null;
}

/**
 * The folders, servers and instructions that a client names for a session.
 *
 * @throws HostError `invalid_params` for a folder that is not absolute, or a system prompt that cannot be added
 */
export function sessionSetup(
  { cwd, additionalDirectories = [], systemPrompt }: SetupWire,
  servers: readonly McpServerSpec[],
): SessionSetup {
  const named = [cwd, ...additionalDirectories];
  for (const [index, path] of named.entries()) {
    if (isAbsolute(path)) continue;
    const name = index === 0 ? "cwd" : `additionalDirectories.${index - 1}`;
    throw new HostError(
      "invalid_params",
      `Invalid params: ${name}: ${JSON.stringify(path)} is no absolute path.`,
      { details: { subject: name } },
    );
  }
  const instructions = instructionsIn(systemPrompt);
  const told = instructions === undefined ? {} : { instructions };
  const roots = [...new Set(named.map((path) => resolve(path)))];
  return { cwd: resolve(cwd), roots, servers, ...told };
}
