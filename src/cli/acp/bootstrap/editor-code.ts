import type { Launch } from "./launch.ts";

/** Writes the agent's entry for Neovim's CodeCompanion, in Lua. */
export function luaCode({ command, args, env }: Launch): string {
  const words = [command, ...args].map(luaString).join(", ");
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${luaString(value)}`);
  const own = variables.length === 0 ? "" : `\n          env = { ${variables.join(", ")} },`;
  return `require("codecompanion").setup({
  adapters = {
    acp = {
      agent = function()
        return require("codecompanion.adapters").extend("goose", {
          name = "agent",
          formatted_name = "Agent",
          commands = { default = { ${words} } },${own}
        })
      end,
    },
  },
})`;
}

/** Writes code that adds the agent to those of Emacs' agent-shell, in Lisp. */
export function lispCode({ command, args, env }: Launch): string {
  const variables = Object.entries(env).map(([name, value]) => lispString(`${name}=${value}`));
  const own = variables.length === 0 ? "" : `\n      :environment-variables '(${variables.join(" ")})`;
  return `(require 'agent-shell)
(add-to-list 'agent-shell-agent-configs
  (agent-shell-make-agent-config
    :identifier 'agent :mode-line-name "Agent" :buffer-name "Agent"
    :shell-prompt "Agent> " :shell-prompt-regexp "Agent> "
    :client-maker
    (lambda (buffer)
      (agent-shell--make-acp-client
        :command ${lispString(command)}
        :command-params '(${args.map(lispString).join(" ")})${own.replace("\n", "\n  ")}
        :context-buffer buffer))))`;
}

/** Only two characters have a meaning in a string of Emacs Lisp. */
const lispString = (text: string): string => `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;

/** Control characters are numbers of three digits, which every version of Lua reads. */
const luaString = (text: string): string =>
  `"${text
    .replaceAll(/[\\"]/g, String.raw`\$&`)
    .replaceAll(
      /[^\P{Cc}\u{80}-\u{9f}]/gu,
      (control) => `\\${String(control.codePointAt(0)).padStart(3, "0")}`,
    )}"`;
