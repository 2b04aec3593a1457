/**
 * Files that hold secrets: keys, passwords, tokens. Reading one asks, and so does writing one. Written as patterns of names,
 * which programs that search whole folders are given to leave out.
 */
export const SECRET_NAMES: readonly string[] = (
  ".env .env.* .envrc .netrc _netrc .pgpass .my.cnf .npmrc .pypirc .git-credentials .htpasswd .vault-token .boto .s3cfg " +
  "id_rsa id_dsa id_ecdsa id_ed25519 *.pem *.key *.p12 *.pfx *.keystore *.jks *.kdbx *.ppk *.ovpn " +
  "credentials credentials.json secrets.yaml secrets.yml secrets.json service-account*.json gateway.token shadow gshadow " +
  "terraform.tfstate *.tfvars"
).split(" ");

/** Folders in which everything is a secret. */
const SECRET_FOLDERS = new Set(
  ".ssh .gnupg .aws .azure .kube .docker .gcloud .password-store keyrings keychains".split(" "),
);

/** What is shown around as an example holds none. */
const EXAMPLE = /\.(example|sample|template|dist|defaults?)$/;

const SECRETS: readonly RegExp[] = SECRET_NAMES.map(
  (name) => new RegExp(`^${name.replaceAll(/[.+^${}()|\\]/g, String.raw`\$&`).replaceAll("*", ".*")}$`),
);

/** Whether a path names a file with secrets, or lies in a folder of such files. */
export function isSecret(path: string): boolean {
  const names = namesIn(path);
  const base = names.at(-1) ?? "";
  if (names.some((name) => SECRET_FOLDERS.has(name))) return true;
  return !EXAMPLE.test(base) && SECRETS.some((secret) => secret.test(base));
}

/**
 * Whether a written file is run or obeyed later by something else: a hook, a shell, a build server, an editor, an agent.
 * Writing there is never harmless.
 */
export function isSensitive(path: string): boolean {
  const names = namesIn(path);
  const base = names.at(-1) ?? "";
  return (
    isSecret(path) ||
    names.some((name) => OBEYED_FOLDERS.has(name)) ||
    OBEYED_FILES.has(base) ||
    ENDINGS.test(base)
  );
}

/** Some file systems take any case for the same name. */
const namesIn = (path: string): readonly string[] =>
  path
    .toLowerCase()
    .split(/[/:]/)
    .filter((name) => name !== "");

const OBEYED_FOLDERS = new Set(
  (
    ".git .hg .svn .jj .agent .agents .claude .codex .cursor .gemini .opencode .windsurf .github .gitlab .gitea .forgejo .circleci " +
    ".buildkite .woodpecker .teamcity .husky .githooks .vscode .idea .zed .fleet .nvim .devcontainer .config .local .cargo .yarn " +
    ".mvn .bundle .direnv .terraform.d autostart launchagents launchdaemons cron.d cron.daily cron.hourly systemd"
  ).split(" "),
);

const OBEYED_FILES = new Set(
  (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .login .logout .zshrc .zshenv .zprofile .zlogin .zlogout " +
    ".cshrc .tcshrc .kshrc .mkshrc .inputrc .xinitrc .xprofile .xsession .vimrc .exrc .nvimrc .emacs .gdbinit .lldbinit " +
    ".tmux.conf .screenrc .yarnrc .yarnrc.yml .pnpmfile.cjs .curlrc .wgetrc .gitconfig .gitmodules .gitattributes .git .direnvrc " +
    ".mcp.json agents.md claude.md gemini.md soul.md skill.md .cursorrules .windsurfrules .clinerules copilot-instructions.md " +
    ".pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml .lefthook.yml .lintstagedrc " +
    ".gitlab-ci.yml .travis.yml .drone.yml .cirrus.yml .appveyor.yml appveyor.yml azure-pipelines.yml azure-pipelines.yaml " +
    "bitbucket-pipelines.yml jenkinsfile .tool-versions .python-version .ruby-version .nvmrc .node-version mise.toml .mise.toml " +
    "rust-toolchain rust-toolchain.toml sitecustomize.py usercustomize.py crontab sudoers authorized_keys authorized_keys2 known_hosts"
  ).split(" "),
);

const ENDINGS = /\.(code-workspace|desktop|service|timer|pth)$/;
