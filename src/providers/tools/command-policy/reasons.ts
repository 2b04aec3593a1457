import { homedir } from "node:os";
import { resolve } from "node:path";
import { isUnder } from "../workspace/roots.ts";
import { isSecret } from "../workspace/sensitive.ts";
import { commandName, runsOthers } from "./hard-block/inner-commands.ts";
import type { SimpleCommand } from "./simple-line.ts";

/** Kinds of commands by their first words, and why people want to be asked. A net for people's eyes; no rule depends on it. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^(rm|rmdir|shred|unlink)\b|^git (clean|rm)\b/, "removes files"],
  [/^git (push|send-email)\b|^gh |^glab /, "writes to a remote"],
  [/^git (clone|fetch|pull|ls-remote|submodule|remote)\b/, "reads from a remote"],
  [/^git (reset|checkout|restore|rebase|stash|switch)\b/, "may throw away work that is not committed"],
  [
    /^(curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|ftp|ping|dig)\b/,
    "sends something to another machine, or gets it from there",
  ],
  [
    /^(npm|pnpm|yarn|bun) (i|install|add|ci|update|publish|exec|dlx|x)\b|^(npx|pnpx|bunx|uvx|pipx)\b|^(pip3?|uv|cargo|gem|go|brew|apt|apt-get|dnf|apk|pacman) (install|add|get)\b/,
    "installs or runs software from elsewhere",
  ],
  [/^(sudo|su|doas|pkexec)\b/, "runs with the rights of another user"],
  [/^(kill|pkill|killall|systemctl|service|launchctl)\b/, "stops or starts other programs"],
  [/^(chmod|chown|chgrp|setfacl)\b/, "changes who may use files"],
  [/^(docker|podman|kubectl|terraform|aws|gcloud|az)\b/, "acts on other machines or containers"],
];

/** Of a command, what the reasons depend on. */
export interface ReasonPlace {
  readonly cwd: string;
  readonly roots: readonly string[];
}

/** Says why a command asks: each reason is the end of "It …". There is always one. */
export function reasonsToAsk(
  commands: readonly SimpleCommand[] | undefined,
  place: ReasonPlace,
  { background, unread = [] }: { readonly background: boolean; readonly unread?: readonly string[] },
): readonly string[] {
  const reasons = new Set<string>();
  for (const { words } of commands ?? []) {
    const texts = words.map(({ text }) => text);
    const [first = "", ...rest] = texts;
    const line = [commandName(first), ...rest].join(" ");
    for (const [kind, reason] of KINDS) if (kind.test(line)) reasons.add(reason);
    if (runsOthers(texts)) reasons.add("starts another program");
    const paths = rest.filter((word) => /^[~/]|\.\.|\//.test(word) || isSecret(word));
    if (paths.some((word) => isSecret(word))) reasons.add("names a file that may hold secrets");
    if (paths.some((word) => isOutside(word, place))) reasons.add("names something outside this folder");
  }
  if (commands === undefined) reasons.add(scriptReason(unread));
  if (background) reasons.add("goes on after its call is over");
  if (reasons.size === 0) reasons.add("is not among the commands that are known to read only");
  return [...reasons];
}

/** A line that is more than words, in one short sentence; the rest is in its details. */
function scriptReason([first, ...rest]: readonly string[]): string {
  if (first === undefined) return "is more than plain words, such as variables or redirections";
  return rest.length === 0
    ? `has ${first}, which could not be judged`
    : `has ${first} and more that could not be judged`;
}

function isOutside(word: string, { cwd, roots }: ReasonPlace): boolean {
  if (/^\w+:\/\//.test(word) || word.startsWith("-")) return false;
  const path = word.startsWith("~") ? homedir() + word.slice(1) : resolve(cwd, word);
  return !roots.some((root) => isUnder(path, root));
}
