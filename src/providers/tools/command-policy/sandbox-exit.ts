import { BETWEEN_WORDS } from "./command-names.ts";
import { everyCommand } from "./every-command.ts";
import { commandName } from "./hard-block/inner-commands.ts";

const KEYS = "needs keys of yours, which are not in the sandbox";
const SERVICES = "needs services of this machine, which the sandbox cannot reach";
const SIGNALS = "signals programs, of which the sandbox sees its own only";
const RIGHTS = "needs the rights of another user, which nothing gets in the sandbox";

/** Commands that cannot do their work in the sandbox, and why: the end of "It …". A net for people's time; no wall depends on it. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^git (push|send-email|credential) |^(gh|glab|hub) /, KEYS],
  [/^git (clone|fetch|pull|ls-remote) .*(?<= )(ssh:\/\/|[\w.-]+@)/, KEYS],
  [/^(ssh|scp|sftp|sshfs|mosh|autossh|ssh-add|ssh-copy-id) |^rsync .*(?<= )\S+:/, KEYS],
  [/^(aws|gcloud|az|kubectl|helm|terraform|pulumi|flyctl|vercel|heroku|doctl) /, KEYS],
  [/^(npm|pnpm|yarn|bun|cargo|poetry|gem|flit) (publish|login|push|owner) |^twine upload /, KEYS],
  [/^(docker|docker-compose|podman|nerdctl|buildah|minikube|virsh|vagrant) /, SERVICES],
  [/^(systemctl|service|launchctl|loginctl|journalctl|crontab|at|batch|dbus-send|busctl) /, SERVICES],
  [/^(xdg-open|open|osascript|notify-send|pbcopy|pbpaste|xclip|wl-copy) /, SERVICES],
  [/^(kill|pkill|killall) /, SIGNALS],
  [/^(sudo|su|doas|pkexec) /, RIGHTS],
  [
    /^(apt|apt-get|dnf|yum|apk|pacman|zypper|snap|flatpak) (install|remove|upgrade|update|add|del|-S)/,
    RIGHTS,
  ],
  [/^brew (install|upgrade|uninstall) /, "changes programs of this machine, which the sandbox only reads"],
];

/** Options before the name of what a program is to do, with a value in the next word. */
const WITH_VALUE =
  /^(-[CcFw]|--(git-dir|work-tree|namespace|super-prefix|config-env|attr-source|prefix|workspace|filter|dir|cwd))$/;
/** A command that goes on while the next one runs: the signals of the line are for that one. */
const BACKGROUND = /(?<![&<>|\\])&(?![&>])/;
/** Words of a command that are looked at, and of a place in a line that could not be read. */
const MOST_WORDS = 200;
const NEAR_WORDS = 12;

/** Why a line cannot work in the sandbox; empty for all that can be tried there. */
export function reasonsToLeave(line: string): readonly string[] {
  const { commands, isComplete } = everyCommand(line);
  const places = isComplete ? [] : wordPlaces(line);
  const spelled = [...commands, ...places].flatMap(spellings);
  const kinds = KINDS.filter(([kind, reason]) => {
    if (reason === SIGNALS && BACKGROUND.test(line)) return false;
    return spelled.some((words) => kind.test(words));
  });
  return [...new Set(kinds.map(([, reason]) => reason))];
}

/** A command as it was given, and without the options before its second word. */
function spellings([first = "", ...rest]: readonly string[]): readonly string[] {
  let at = 0;
  while (rest[at]?.startsWith("-") === true) at += WITH_VALUE.test(rest[at] ?? "") ? 2 : 1;
  const spelled = (words: readonly string[]): string =>
    `${[commandName(first), ...words.slice(0, MOST_WORDS)].join(" ")} `;
  return at === 0 ? [spelled(rest)] : [spelled(rest), spelled(rest.slice(at))];
}

/** Each place of a line as if a command stood there. */
function wordPlaces(line: string): readonly (readonly string[])[] {
  const words = line.split(BETWEEN_WORDS);
  return words.map((_word, at) => words.slice(at, at + NEAR_WORDS));
}
