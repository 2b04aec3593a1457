import { isAbsolute } from "node:path";

/** Names that a child may see. All else, keys above all, stays with the host. */
const ALLOWED = new Set([
  "COLUMNS",
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "HOME",
  "HOSTNAME",
  "LANG",
  "LANGUAGE",
  "LD_LIBRARY_PATH",
  "LINES",
  "LOGNAME",
  "MANPATH",
  "PATH",
  "PKG_CONFIG_PATH",
  "SHELL",
  "SSH_AUTH_SOCK",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "TEMP",
  "TMP",
  "TMPDIR",
  "TZ",
  "USER",
  "WAYLAND_DISPLAY",
  // Proxies and certificates: without them no package manager works behind one.
  "ALL_PROXY",
  "CURL_CA_BUNDLE",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NO_PROXY",
  "REQUESTS_CA_BUNDLE",
  // Where toolchains live.
  "ANDROID_HOME",
  "BUN_INSTALL",
  "CARGO_HOME",
  "COMPOSER_HOME",
  "CONDA_DEFAULT_ENV",
  "CONDA_PREFIX",
  "DENO_DIR",
  "DOTNET_ROOT",
  "FNM_DIR",
  "GEM_HOME",
  "GEM_PATH",
  "GOBIN",
  "GOPATH",
  "GOROOT",
  "JAVA_HOME",
  "NIX_PATH",
  "NIX_PROFILES",
  "NVM_BIN",
  "NVM_DIR",
  "PIPX_HOME",
  "PNPM_HOME",
  "PYENV_ROOT",
  "RBENV_ROOT",
  "RUSTUP_HOME",
  "SDKMAN_DIR",
  "VIRTUAL_ENV",
  "VOLTA_HOME",
]);

const PREFIXES = ["LC_", "XDG_"];

/** Programs that would wait for a person, colour their output or open a pager are told that nobody is there. */
const UNATTENDED = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
  // A bash that is no other's child and reads from a socket runs `~/.bashrc`.
  SHLVL: "1",
};

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The environment of a child: from the host's own only what is on the list.
 *
 * @param extra - more names that may pass, from the configuration
 */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  extra: readonly string[] = [],
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && (isUsualVariable(name) || extra.includes(name))) env[name] = value;
  }
  // A relative entry would let a workspace put programs in the place of the system's.
  const path = (env["PATH"] ?? "").split(":").filter((entry) => isAbsolute(entry));
  return { ...env, PATH: path.length > 0 ? path.join(":") : FALLBACK_PATH, ...UNATTENDED };
}

/** Tells whether a variable is one of those that every child may see. */
export function isUsualVariable(name: string): boolean {
  // The lower-case spellings of the proxies are as usual as the others.
  return ALLOWED.has(name.toUpperCase()) || PREFIXES.some((prefix) => name.startsWith(prefix));
}
