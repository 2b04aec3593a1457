import { commandName } from "./hard-block/inner-commands.ts";
import type { SimpleCommand } from "./simple-line.ts";

const KEYS = "needs keys of yours, which are not in the sandbox";
const SERVICES = "needs services of this machine, which the sandbox cannot reach";
const RIGHTS = "needs the rights of another user, which nothing gets in the sandbox";

/** Commands that cannot do their work in the sandbox, and why: the end of "It …". A net for people's time; no wall depends on it. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^git (push|send-email|credential)\b|^(gh|glab|hub) /, KEYS],
  [/^git (clone|fetch|pull|ls-remote)\b.* (ssh:\/\/|[\w.-]+@)/, KEYS],
  [/^(ssh|scp|sftp|sshfs|mosh|autossh|ssh-add|ssh-copy-id)\b(?!-keygen)|^rsync\b.* \S+:/, KEYS],
  [/^(aws|gcloud|az|kubectl|helm|terraform|pulumi|flyctl|vercel|heroku|doctl)\b/, KEYS],
  [/^(npm|pnpm|yarn|bun|cargo|poetry|gem|flit) (publish|login|push|owner)\b|^twine upload\b/, KEYS],
  [/^(docker|docker-compose|podman|nerdctl|buildah|minikube|virsh|vagrant)\b/, SERVICES],
  [/^(systemctl|service|launchctl|loginctl|journalctl|crontab|at|batch|dbus-send|busctl)\b/, SERVICES],
  [/^(xdg-open|open|osascript|notify-send|pbcopy|pbpaste|xclip|wl-copy)\b/, SERVICES],
  [/^(kill|pkill|killall)\b/, "signals programs, of which the sandbox sees its own only"],
  [/^(sudo|su|doas|pkexec)\b/, RIGHTS],
  [
    /^(apt|apt-get|dnf|yum|apk|pacman|zypper|snap|flatpak) (install|remove|upgrade|update|add|del|-S)/,
    RIGHTS,
  ],
  [/^brew (install|upgrade|uninstall)\b/, "changes programs of this machine, which the sandbox only reads"],
];

/** Why a line cannot work in the sandbox; empty for all that can be tried there. */
export function reasonsToLeave(commands: readonly SimpleCommand[] | undefined): readonly string[] {
  const lines = (commands ?? []).map(({ words }) => {
    const [first = "", ...rest] = words.map(({ text }) => text);
    return `${[commandName(first), ...rest].join(" ")} `;
  });
  const kinds = KINDS.filter(([kind]) => lines.some((line) => kind.test(line)));
  return [...new Set(kinds.map(([, reason]) => reason))];
}
