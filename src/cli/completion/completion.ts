import type { Command } from "commander";
import { HostError } from "../../shared/errors/host-error.ts";

/** A command by its words after `agent`, each behind a space, and what may stand behind them. */
interface Place {
  readonly path: string;
  readonly words: readonly string[];
}

const SCRIPTS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash,
  // It runs completions that are written for bash.
  zsh: (places) => `autoload -U +X bashcompinit && bashcompinit\n${bash(places)}`,
  fish,
};

/**
 * The script that lets a shell complete commands and options.
 *
 * @throws HostError `command_usage` for a shell that there is no script for
 */
export function completionScript(shell: string, agent: Command): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new HostError("command_usage", `There is no completion for ${shell}: bash, zsh and fish have one.`);
  return script(placesOf(agent));
}

function placesOf(command: Command, path = ""): readonly Place[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const words = [...command.commands.map((each) => each.name()), ...options, "--help"];
  return [{ path, words }, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))];
}

function bash(places: readonly Place[]): string {
  const known = places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join("|");
  const cases = places.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;\n`).join("");
  return `_agent_words() {
  local path="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${known}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _agent_words agent
`;
}

function fish(places: readonly Place[]): string {
  const known = places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join(" ");
  const cases = places
    .map(({ path, words }) => `    case "${path}"\n      printf '%s\\n' ${words.join(" ")}\n`)
    .join("");
  return `function __agent_words
  set -l path ""
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
      case ${known}
        set path "$path $word"
    end
  end
  switch "$path"
${cases}  end
end
complete -c agent -a "(__agent_words)"
`;
}
