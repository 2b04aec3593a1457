import { type Escape, escapes, fromInside, type Rows } from "./escape.ts";

/** Secrets, by the variable that holds their path. */
const SECRETS: Readonly<Record<string, string>> = {
  "the agent's key": "$AGENT/secret",
  "an ssh key": "$PERSON/.ssh/id_ed25519",
  "cloud credentials": "$PERSON/.aws/credentials",
  "gcloud credentials": "$PERSON/.config/gcloud/credentials.db",
  "a gpg key": "$PERSON/.gnupg/private.key",
  "a .netrc": "$PERSON/.netrc",
  "docker's login": "$PERSON/.docker/config.json",
  "a kubeconfig": "$PERSON/.kube/config",
  "shell history": "$PERSON/.bash_history",
  "a keychain": "$PERSON/.local/share/keyrings/login.keyring",
  "another user's file": "$STRANGER/diary",
  "the workspace's .env": "$WS/.env",
  "a deep .env": "$WS/deep/er/.env.production",
  "a private key in the workspace": "$WS/keys/server.pem",
  "a folder of keys in the workspace": "$WS/deep/.ssh/id_rsa",
};

const plain: Rows = Object.entries(SECRETS).map(([what, path]) => [`reads ${what}`, `cat "${path}"`]);

/** Ways to read a file, as a script on `$S`. */
const READERS: Rows = [
  ["through a link", 'ln -s "$S" "$WS/l$N"; cat "$WS/l$N"'],
  ["through a link to its folder", 'ln -s "$(dirname "$S")" "$WS/d$N"; cat "$WS/d$N/$(basename "$S")"'],
  ["through a hard link", 'ln "$S" "$WS/h$N" && cat "$WS/h$N"'],
  [
    "by a path with dots",
    'cat "$WS/../$(basename "$(dirname "$S")")/./../$(basename "$(dirname "$S")")/$(basename "$S")"',
  ],
  ["through the root of its own process", 'cat "/proc/self/root$S"'],
  [
    "through its own working directory",
    'cd "$WS"; cat "/proc/self/cwd/..$(echo "$S" | sed "s#^$(dirname "$WS")##")"',
  ],
  ["with dd", 'dd if="$S" 2>/dev/null'],
  ["with tar", 'tar cPf - "$S" | tr -d "\\0"'],
  ["with git", 'git diff --no-index /dev/null "$S"; true'],
  ["with curl", 'curl -s "file://$S"'],
  ["with grep over all", 'grep -rs canary "$(dirname "$S")"'],
  ["with find", 'find "$(dirname "$S")" -type f -exec cat {} +'],
  ["with perl", `perl -e 'open F,"<",$ENV{S};print <F>'`],
  ["by copying it first", 'cp "$S" "$WS/c$N"; cat "$WS/c$N"'],
  ["by moving it first", 'mv "$S" "$WS/m$N"; cat "$WS/m$N"; mv "$WS/m$N" "$S"'],
  ["as the shell's own input", 'while read -r line; do echo "$line"; done < "$S"'],
];

const spelled: Rows = READERS.flatMap(([how, script]): Rows => [
  [`reads the agent's key ${how}`, `export S="$AGENT/secret"; ${script}`],
  [`reads a covered .env ${how}`, `export S="$WS/.env"; ${script}`],
]);

const throughProcesses: Rows = [
  ["reads the root of the first process", 'cat "/proc/1/root$AGENT/secret"'],
  ["reads roots of all processes", 'for p in /proc/[0-9]*; do cat "$p/root$AGENT/secret"; done'],
  ["reads working directories of all processes", "for p in /proc/[0-9]*; do cat $p/cwd/agent/secret; done"],
  ["reads open files of all processes", "cat /proc/[0-9]*/fd/* < /dev/null 2>/dev/null & sleep 0.2; kill $!"],
  ["reads the first process's environment", "tr '\\0' '\\n' < /proc/1/environ | grep 'canary of'"],
  ["reads all environments", "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep 'canary of'"],
  [
    "reads the memory of the first process",
    `perl -e 'open M,"<","/proc/1/mem" or exit;open A,"/proc/1/maps";for(<A>){/^(\\w+)-(\\w+) r/ or next;sysseek M,hex$1,0;sysread M,my $d,hex($2)-hex$1;$k="canary"." of the env";print $k if $d=~/$k/}'`,
  ],
  ["lists the secrets' folder", 'ls -la "$AGENT" | grep secret && cat "$AGENT"/*'],
];

const WRITES: Rows = [
  ["writes a file outside", 'echo x > "$OUT/$N"'],
  ["appends to a file outside", 'echo x >> "$OUT/$N"'],
  ["writes through a link", 'ln -s "$OUT" "$WS/w$N"; echo x > "$WS/w$N/$N"'],
  ["writes through a link to the file", 'ln -s "$OUT/$N" "$WS/f$N"; echo x > "$WS/f$N"'],
  ["writes by dots", 'echo x > "$WS/../out/$N"'],
  ["writes through /proc/self/root", 'echo x > "/proc/self/root$OUT/$N"'],
  ["writes through /proc/self/cwd", 'cd "$WS"; echo x > "/proc/self/cwd/../out/$N"'],
  ["copies outside", 'echo x > "$WS/a$N"; cp "$WS/a$N" "$OUT/$N"'],
  ["moves outside", 'echo x > "$WS/b$N"; mv "$WS/b$N" "$OUT/$N"'],
  ["links outside", 'echo x > "$WS/e$N"; ln "$WS/e$N" "$OUT/$N"'],
  ["makes a folder outside", 'mkdir -p "$OUT/$N"'],
  ["makes a link outside", 'ln -s / "$OUT/$N"'],
  ["makes a pipe outside", 'mkfifo "$OUT/$N"'],
  [
    "unpacks outside",
    'cd "$WS"; echo x > "t$N"; tar cPf a.tar --transform "s#^#../out/#;s#t$N#$N#" "t$N"; tar xPf a.tar',
  ],
  ["installs outside", 'echo x > "$WS/i$N"; install -D "$WS/i$N" "$OUT/$N"'],
  ["writes with tee", 'echo x | tee "$OUT/$N"'],
  ["writes with dd", 'echo x | dd of="$OUT/$N"'],
  ["writes with perl", `perl -e 'open F,">","$ENV{OUT}/$ENV{N}" or exit;print F 1'`],
  ["clones outside", 'git clone -q "$WS/repo" "$OUT/$N"'],
  ["downloads outside", 'curl -s "file:///etc/hosts" -o "$OUT/$N"'],
];

/** Files that a person's session, shell or machine obeys. */
const OBEYED = [
  ["PERSON", ".bashrc"],
  ["PERSON", ".profile"],
  ["PERSON", ".ssh/authorized_keys"],
  ["PERSON", ".ssh/config"],
  ["PERSON", ".gitconfig"],
  ["PERSON", ".config/systemd/user/x.service"],
  ["PERSON", ".config/autostart/x.desktop"],
  ["PERSON", ".local/bin/git"],
  ["PERSON", ".npmrc"],
  ["PERSON", ".pam_environment"],
  ["AGENT", "config.yaml"],
  ["AGENT", "skills/x/SKILL.md"],
] as const;

const obeyed: Rows = OBEYED.map(([place, name]) => [
  `writes ${name} of the ${place === "PERSON" ? "person" : "agent"}`,
  `mkdir -p "$(dirname "$${place}/${name}")"; echo obey-$N >> "$${place}/${name}"`,
]);

const system: Rows = [
  "/etc/cron.d/x",
  "/etc/profile.d/x.sh",
  "/etc/ld.so.preload",
  "/etc/systemd/system/x.service",
  "/etc/sudoers.d/x",
  "/etc/passwd",
  "/usr/local/bin/x",
  "/usr/lib/x",
  "/var/spool/cron/crontabs/root",
  "/boot/x",
  "/root/x",
  "/dev/x-outside",
  "/sys/kernel/uevent_helper",
  "/proc/sys/kernel/core_pattern",
  "/proc/sys/kernel/modprobe",
  "/proc/sys/kernel/hostname",
  "/proc/sys/vm/overcommit_memory",
  "/proc/irq/default_smp_affinity",
].map((path) => [`writes ${path}`, `(echo x-$N-outside >> ${path}) && echo wrote`] as const);

export const fileEscapes: readonly Escape[] = [
  ...escapes("read", [...plain, ...spelled]),
  ...fromInside("read", throughProcesses),
  ...escapes("write", WRITES),
  ...escapes("harm", obeyed),
  ...escapes("harm", system, "it would change this machine"),
];
