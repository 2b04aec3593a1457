import type { GetPromptResult } from "@modelcontextprotocol/client";
import type { SlashCommand } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ListedPrompt } from "./listing.ts";
import type { UseServer } from "./mcp-tool.ts";
import { visibleLine } from "./visible-text.ts";

const LONGEST_DESCRIPTION = 200;
const LONGEST_PROMPT = 100_000;

/**
 * A server's prompts as commands: `/server:prompt name=value …`, or the bare text for the only argument, or the only one
 * that must be given.
 */
export function promptCommands(
  server: string,
  prompts: readonly ListedPrompt[],
  use: UseServer,
): readonly SlashCommand[] {
  return prompts.map((prompt) => {
    const name = `${word(server)}:${word(prompt.name)}`;
    const description = visibleLine(prompt.description ?? prompt.name, LONGEST_DESCRIPTION);
    return {
      name,
      aliases: [],
      args: prompt.arguments.map(hint).join(" "),
      description: `${description} (MCP server ${server})`,
      category: "User commands",
      async run({ signal }, argument) {
        const given = argumentsOf(prompt, argument, name);
        const result = await use((connection) => connection.prompt(prompt.name, given, signal), signal);
        return { type: "send", message: textOf(result) };
      },
    };
  });
}

/** Commands are written without spaces or slashes, and in any case. */
const word = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_.-]+/g, "-");

const hint = ({ name, required }: ListedPrompt["arguments"][number]): string => {
  const shown = `${visibleLine(name, LONGEST_DESCRIPTION)}=…`;
  return required ? `<${shown}>` : `[${shown}]`;
};

/** @throws HostError `command_usage` */
function argumentsOf(prompt: ListedPrompt, text: string, command: string): Readonly<Record<string, string>> {
  const names = prompt.arguments.map(({ name }) => name);
  const given: Record<string, string> = {};
  for (const [, name = "", quoted, plain] of text.matchAll(/(?<![^\s=])([^\s=]+)=(?:"([^"]*)"|(\S*))/g))
    if (names.includes(name)) given[name] = quoted ?? plain ?? "";
  const required = prompt.arguments.filter((argument) => argument.required);
  const [bare, ...others] = required.length === 0 ? prompt.arguments : required;
  if (Object.keys(given).length === 0 && bare !== undefined && others.length === 0 && text !== "")
    given[bare.name] = text;
  const missing = required.filter(({ name }) => given[name] === undefined);
  const isLost = text !== "" && Object.keys(given).length === 0;
  if (missing.length === 0 && !isLost) return given;
  throw new HostError("command_usage", `Usage: /${command} ${prompt.arguments.map(hint).join(" ")}`.trim());
}

function textOf({ messages }: GetPromptResult): string {
  const isTalk = messages.some(({ role }) => role === "assistant");
  const parts = messages.map(({ role, content }) => {
    const text = partOf(content);
    return isTalk ? `${role}: ${text}` : text;
  });
  return parts.join("\n\n").slice(0, LONGEST_PROMPT).toWellFormed();
}

function partOf(content: GetPromptResult["messages"][number]["content"]): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "resource":
      return "text" in content.resource ? content.resource.text : `[${content.resource.uri}]`;
    case "resource_link":
      return `[${content.name}](${content.uri})`;
    case "image":
    case "audio":
      return `[${content.type} of type ${content.mimeType}]`;
  }
}
