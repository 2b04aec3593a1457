import { wordList } from "../../../shared/text/word-list.ts";

/**
 * Files that hold secrets: keys, passwords, tokens. Reading one asks, and so does writing one. Written as patterns of names in
 * small letters, which programs that search whole folders are given to leave out.
 */
export const SECRET_NAMES: readonly string[] = wordList(`
  .env .env.* *.env .envrc .dev.vars .netrc _netrc .authinfo .authinfo.gpg .pgpass .my.cnf .mylogin.cnf .npmrc .pypirc .git-credentials
  .htpasswd .vault-token .boto .s3cfg .dockercfg .terraformrc .rclone.conf rclone.conf kubeconfig *.kubeconfig
  id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk *.pem *.key *.p8 *.p12 *.pfx *.keystore *.jks *.kdbx *.ppk *.ovpn
  *.keychain *.keychain-db *.agekey *.mobileprovision
  credentials credentials.json credentials.toml credentials.yaml credentials.yml credentials.xml .credentials.json auth.json
  application_default_credentials.json secrets.yaml secrets.yml secrets.json secrets.toml service-account*.json
  serviceaccount*.json *firebase-adminsdk*.json local.settings.json gateway.token shadow gshadow
  terraform.tfstate terraform.tfstate.* *.tfstate *.tfvars *.tfvars.json logins.json key3.db key4.db
  .bash_history .zsh_history .mysql_history .psql_history .python_history .node_repl_history
`);

/** Folders in which everything is a secret. */
export const SECRET_FOLDERS: readonly string[] = wordList(
  ".ssh .gnupg .aws .azure .kube .docker .gcloud .password-store keyrings keychains",
);

/** What is shown around as an example holds none. */
const EXAMPLE = /\.(example|sample|template|dist|defaults?)$/;

const SECRETS: readonly RegExp[] = SECRET_NAMES.map(
  (name) => new RegExp(`^${RegExp.escape(name).replaceAll(String.raw`\*`, ".*")}$`),
);

/**
 * A name as file systems compare it that take any case, and any spelling of the same letters, for one name. Characters that
 * nobody sees are left out: some file systems do not see them either.
 */
export const foldName = (name: string): string =>
  name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase();

/** Whether a path names a file with secrets, or lies in a folder of such files. */
export function isSecret(path: string): boolean {
  const names = namesIn(path);
  const base = names.at(-1) ?? "";
  if (names.some((name) => SECRET_FOLDERS.includes(name))) return true;
  return !EXAMPLE.test(base) && SECRETS.some((secret) => secret.test(base));
}

/**
 * Whether a written file is run or obeyed later by something that nobody has to start for it: a shell, a hook, a build server, an
 * editor, an agent, a tool that reads its settings from the folder. Writing there is never harmless. The project's own code is
 * not among it: it runs when somebody runs it.
 */
export function isSensitive(path: string): boolean {
  const names = namesIn(path);
  const base = names.at(-1) ?? "";
  return (
    isSecret(path) ||
    names.some((name) => OBEYED_FOLDERS.has(name) || name.endsWith(".git")) ||
    OBEYED_FILES.has(base) ||
    OBEYED_NAMES.test(base)
  );
}

const namesIn = (path: string): readonly string[] =>
  foldName(path)
    .split(/[/:]/)
    .filter((name) => name !== "");

const OBEYED_FOLDERS = new Set([
  // Version control, hooks and build servers.
  ...wordList(`
    .hg .svn .jj .github .gitlab .gitea .forgejo .circleci .buildkite .woodpecker .teamcity .semaphore .harness .tekton .builds
    .husky .githooks .git-hooks .lefthook .bitbucket`),
  // Agents.
  ...wordList(`
    .agent .agents .claude .claude-plugin .codex .cursor .gemini .qwen .opencode .windsurf .clinerules .roo .kilocode .kiro .trae
    .junie .augment .continue .amazonq .factory .openhands .goose .crush .warp .devin .aider .mcp`),
  // Editors, and machines that are made for them.
  ...wordList(`
    .vscode .vscode-server .idea .zed .fleet .helix .nova .vim .nvim .emacs.d .settings .devcontainer .gitpod .ipython .jupyter`),
  // Settings of a person's shell and tools, and what starts with a session or the system.
  ...wordList(`
    .config .local .bashrc.d .zshrc.d .oh-my-zsh .cargo .yarn .mvn .gradle .bundle .direnv .mise .asdf .terraform .terraform.d .julia
    .lein autostart launchagents launchdaemons cron.d cron.hourly cron.daily cron.weekly cron.monthly crontabs systemd init.d
    profile.d sudoers.d pam.d ld.so.conf.d site-packages`),
]);

const OBEYED_FILES = new Set([
  // Shells and sessions.
  ...wordList(`
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion bash.bashrc .profile .login .logout .zshrc .zshenv
    .zprofile .zlogin .zlogout .cshrc .tcshrc .kshrc .mkshrc .xonshrc .inputrc .pam_environment .xinitrc .xserverrc .xprofile
    .xsession .xsessionrc .xresources config.fish crontab sudoers authorized_keys authorized_keys2 known_hosts ld.so.preload rc.local`),
  // Editors, debuggers and interpreters that read a file of the folder.
  ...wordList(`
    .vimrc .exrc .gvimrc .nvimrc .nvim.lua .lvimrc .emacs .dir-locals.el .dir-locals-2.el .gdbinit .lldbinit .pdbrc .pryrc .irbrc
    .rprofile .renviron .ghci .ocamlinit .sqliterc .psqlrc .tmux.conf .screenrc .mailcap .ycm_extra_conf.py .project
    sitecustomize.py usercustomize.py pyvenv.cfg`),
  // Version control and hooks.
  ...wordList(`
    .gitconfig .gitmodules .gitattributes .lfsconfig .hgrc .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml
    .lefthook.yml .lefthook.yaml lefthook-local.yml .overcommit.yml .huskyrc .lintstagedrc`),
  // Package managers and chooser of versions.
  ...wordList(`
    .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .gemrc .rvmrc pip.conf .condarc nuget.config directory.build.props
    directory.build.targets .bazelrc .bazelversion .tool-versions .asdfrc mise.toml .mise.toml mise.local.toml .mise.local.toml
    .python-version .ruby-version .nvmrc .node-version .sdkmanrc .java-version rust-toolchain rust-toolchain.toml global.json
    gradle-wrapper.properties gradle-wrapper.jar ansible.cfg .ansible.cfg .curlrc .wgetrc .ripgreprc .direnvrc .envrc
    devbox.json .replit .gitpod.yml .gitpod.dockerfile .devcontainer.json devcontainer.json .condarc`),
  // Build servers.
  ...wordList(`
    .gitlab-ci.yml .gitlab-ci.yaml .travis.yml .drone.yml .drone.yaml .cirrus.yml .cirrus.star .appveyor.yml appveyor.yml .build.yml
    .woodpecker.yml .woodpecker.yaml bitbucket-pipelines.yml jenkinsfile cloudbuild.yaml cloudbuild.yml buildspec.yml
    buildspec.yaml codemagic.yaml bitrise.yml wercker.yml screwdriver.yaml renovate.json .renovaterc`),
  // Agents.
  ...wordList(`
    agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md codex.md crush.md warp.md jules.md soul.md
    skill.md copilot-instructions.md .cursorrules .windsurfrules .roorules .roomodes .continuerules .augment-guidelines
    .goosehints .rules .mcp.json mcp.json opencode.json opencode.jsonc .opencode.json crush.json .crush.json .aider.conf.yml
    .cursorignore`),
]);

/** Git's hooks under their own names, and kinds of files that something looks for. */
const OBEYED_NAMES =
  /^((pre|post)-(applypatch|commit|merge-commit|rebase|checkout|merge|push|receive|rewrite|update|auto-gc|index-change)|applypatch-msg|prepare-commit-msg|commit-msg|sendemail-validate|fsmonitor-watchman|push-to-checkout|reference-transaction|azure-pipelines.*\.ya?ml|jenkinsfile\..*|.*\.(code-workspace|sublime-project|desktop|service|timer|socket|pth))$/;
