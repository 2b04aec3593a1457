import { join } from "node:path";
import type { Launch } from "./launch.ts";

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
  /** For files of JSON: the member that is this agent's, and its value. */
  readonly entry?: { readonly path: readonly string[]; readonly value: unknown };
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
        value: { type: "custom", ...shown(launch) },
      });
    case "jetbrains":
      return inJson({
        id,
        title: "JetBrains IDEs",
        file: join(home, ".jetbrains", "acp.json"),
        path: ["agent_servers", NAME],
        value: shown(launch),
      });
    case "vscode":
      return inJson({
        id,
        title: "VS Code, with the extension ACP Client",
        file: join(codeFolder(around), "settings.json"),
        path: ["acp.agents", NAME],
        value: shown(launch),
      });
    case "acpx":
      return inJson({
        id,
        title: "acpx",
        file: join(home, ".acpx", "config.json"),
        path: ["agents", "agent"],
        value: withoutEmpty(launch),
      });
    case "nvim":
      return {
        id,
        title: "Neovim, with CodeCompanion",
        hint: "Put it into CodeCompanion's setup.",
        snippet: lua(launch),
      };
    case "emacs":
      return {
        id,
        title: "Emacs, with agent-shell",
        hint: "Put it into your init file, then M-x agent-shell.",
        snippet: lisp(launch),
      };
    case "registry":
      return {
        id,
        title: "The ACP registry",
        hint: "It is the agent.json of a folder `agent` there, beside an icon.svg.",
        snippet: JSON.stringify(manifest(around.version), undefined, 2),
      };
  }
}

const shown = ({ command, args, env }: Launch) => ({ command, args, env });

/** acpx takes no empty list of variables. */
const withoutEmpty = ({ command, args, env }: Launch) =>
  isEmpty(env) ? { command, args } : { command, args, env };

const isEmpty = (env: Launch["env"]): boolean => Object.keys(env).length === 0;

function inJson({
  id,
  title,
  file,
  path,
  value,
}: {
  readonly id: EditorId;
  readonly title: string;
  readonly file: string;
  readonly path: readonly [string, string];
  readonly value: unknown;
}): EditorEntry {
  const [outer, inner] = path;
  const snippet = JSON.stringify({ [outer]: { [inner]: value } }, undefined, 2);
  return {
    id,
    title,
    file,
    hint: `It belongs into ${file}; --write puts it there.`,
    snippet,
    entry: { path, value },
  };
}

const configFolder = ({ configHome, home }: EditorEnvironment): string => configHome ?? join(home, ".config");

function codeFolder(around: EditorEnvironment): string {
  if (around.platform === "darwin")
    return join(around.home, "Library", "Application Support", "Code", "User");
  return join(configFolder(around), "Code", "User");
}

function lua({ command, args, env }: Launch): string {
  const words = [command, ...args].map((word) => JSON.stringify(word)).join(", ");
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const own = variables.length === 0 ? "" : `\n        env = { ${variables.join(", ")} },`;
  return `require("codecompanion").setup({
  adapters = {
    acp = {
      agent = function()
        return require("codecompanion.adapters").extend("goose", {
          name = "agent",
          formatted_name = "Agent",
          commands = { default = { ${words} } },${own.replace("\n        ", "\n          ")}
        })
      end,
    },
  },
})`;
}

function lisp({ command, args, env }: Launch): string {
  const words = args.map((word) => JSON.stringify(word)).join(" ");
  const variables = Object.entries(env).map(([name, value]) => JSON.stringify(`${name}=${value}`));
  const own = variables.length === 0 ? "" : `\n      :environment-variables '(${variables.join(" ")})`;
  return `(agent-shell-make-agent-config
  :identifier 'agent :mode-line-name "Agent" :buffer-name "Agent"
  :shell-prompt "Agent> " :shell-prompt-regexp "Agent> "
  :client-maker
  (lambda (buffer)
    (agent-shell--make-acp-client
      :command ${JSON.stringify(command)}
      :command-params '(${words})${own}
      :context-buffer buffer)))`;
}

const manifest = (version: string) => ({
  id: "agent",
  name: NAME,
  version,
  description: "An agent that works in your folder",
  license: "MIT",
  distribution: { npx: { package: `agent-host@${version}`, args: ["acp"] } },
});
