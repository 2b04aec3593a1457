import { isAbsolute, resolve } from "node:path";
import { defined } from "../../shared/json/defined.ts";
import { invalidParam } from "../connection/request-error.ts";
import type { McpLinks, McpServerSpec, ReadableFolders } from "../ports.ts";

/** The setup of a session, as the client that opens it wants it. */
export interface SessionSetup extends ReadableFolders {
  readonly servers: readonly McpServerSpec[];
  /** Instructions for the model, beside the host's own; without them the session keeps those that it has. */
  readonly instructions?: string;
}

interface SetupWire {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly systemPrompt?: {
    readonly mode: string;
    readonly content: readonly { readonly type: string }[];
  } | null;
}

/**
 * Reads the folders and instructions that a client names for a session.
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
    throw invalidParam(name, `${JSON.stringify(path)} is no absolute path`);
  }
  const roots = [...new Set(named.map((path) => resolve(path)))];
  return { cwd: resolve(cwd), roots, servers, ...defined({ instructions: instructionsIn(systemPrompt) }) };
}

/** @throws HostError `invalid_params` for a mode other than `append`, or content that is no text */
function instructionsIn(prompt: SetupWire["systemPrompt"]): string | undefined {
  if (prompt === undefined || prompt === null) return undefined;
  if (prompt.mode !== "append")
    throw invalidParam("systemPrompt.mode", `${prompt.mode} is not offered; use append`);
  const texts = prompt.content.map((block, index) => {
    if ("text" in block && typeof block.text === "string") return block.text;
    throw invalidParam(`systemPrompt.content.${index}`, "it is no text");
  });
  return texts.join("\n\n");
}

/** The servers that a client named for a session in a folder. */
export interface NamedServers {
  readonly links: McpLinks;
  /** Absolute. */
  readonly cwd: string;
}
