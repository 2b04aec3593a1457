import { join } from "node:path";
import { lispCode, luaCode } from "./editor-code.ts";
import { argvOf, type Launch } from "./launch.ts";

export const EDITORS = ["zed", "jetbrains", "vscode", "nvim", "emacs", "acpx", "registry"] as const;
/** The name of an editor. */
export type EditorId = (typeof EDITORS)[number];

/** The entry that one editor needs to know this agent: its file and its text. */
export interface EditorEntry {
  readonly id: EditorId;
  readonly title: string;
  /** The file that the snippet belongs into, when its place is known. */
  readonly file?: string;
  /** The next step for the user. */
  readonly hint: string;
  /** JSON, or code of the editor's own language. */
  readonly snippet: string;
  /** For files of JSON: the member that is this agent's. */
  readonly entry?: JsonEntry;
}

/** A member of a JSON file, and its value. */
export interface JsonEntry {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The facts about this machine that the entries of editors contain. */
export interface EditorEnvironment {
  readonly launch: Launch;
  readonly version: string;
  /** The user's own folder. Absolute. */
  readonly home: string;
  /** As Node names it. */
  readonly platform: string;
  readonly configHome: string | undefined;
}

const NAME = "Agent";

/** The snippet for one editor. */
export function editorOf(id: EditorId, around: EditorEnvironment): EditorEntry {
  const { launch, home } = around;
  switch (id) {
    case "zed":
      return inJson({
        id,
        title: "Zed",
        file: join(configFolder(around), "zed", "settings.json"),
        path: ["agent_servers", NAME],
        value: { type: "custom", ...launch },
      });
    case "jetbrains":
      return inJson({
        id,
        title: "JetBrains IDEs",
        file: join(home, ".jetbrains", "acp.json"),
        path: ["agent_servers", NAME],
        value: launch,
      });
    case "vscode":
      return inJson({
        id,
        title: "VS Code, with the extension ACP Client",
        file: join(codeFolder(around), "settings.json"),
        path: ["acp.agents", NAME],
        value: launch,
      });
    case "acpx":
      return inJson({
        id,
        title: "acpx",
        file: join(home, ".acpx", "config.json"),
        path: ["agents", "agent"],
        // It starts agents with its own environment, and does without variables in the entry.
        value: { argv: argvOf(launch, around.platform) },
      });
    case "nvim":
      return {
        id,
        title: "Neovim, with CodeCompanion",
        hint: "Put it into CodeCompanion's setup.",
        snippet: luaCode(launch),
      };
    case "emacs":
      return {
        id,
        title: "Emacs, with agent-shell",
        hint: "Put it into your init file, then M-x agent-shell.",
        snippet: lispCode(launch),
      };
    case "registry":
      return {
        id,
        title: "Clients with a registry of their own",
        hint: "The agent is in no public registry: this entry starts it from where it is installed.",
        snippet: JSON.stringify(registryEntry(around), undefined, 2),
      };
  }
}

/** An editor that reads a file of JSON. */
interface JsonEditor extends JsonEntry, Pick<EditorEntry, "id" | "title"> {
  readonly file: string;
  readonly path: readonly [string, string];
}

function inJson({ path, value, ...editor }: JsonEditor): EditorEntry {
  const [outer, inner] = path;
  return {
    ...editor,
    hint: `It belongs into ${editor.file}; --write puts it there.`,
    snippet: JSON.stringify({ [outer]: { [inner]: value } }, undefined, 2),
    entry: { path, value },
  };
}

const configFolder = ({ configHome, home }: EditorEnvironment): string => configHome ?? join(home, ".config");

function codeFolder(around: EditorEnvironment): string {
  if (around.platform === "darwin")
    return join(around.home, "Library", "Application Support", "Code", "User");
  return join(configFolder(around), "Code", "User");
}

const registryEntry = ({ launch, version }: EditorEnvironment) => ({
  id: "agent",
  name: NAME,
  version,
  description: "An agent that works in your folder",
  license: "MIT",
  ...launch,
});
