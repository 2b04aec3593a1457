/** Variables that lead to what is not inside: sockets of the desktop and of agents, folders of the person's home. */
const OUTSIDE =
  /^(?:DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY|SSH_AUTH_SOCK|XDG_.*|TEMP|TMP|HOSTNAME|CARGO_HOME|GOPATH|GOBIN|GEM_HOME|DENO_DIR|PNPM_HOME|PIPX_HOME|COMPOSER_HOME|.*_proxy)$/i;

/** The places that programs inside are told of. */
export interface InnerPlaces {
  readonly home: string;
  readonly temp: string;
  readonly user: string;
  /** Where the way out begins, on what they take for this machine. */
  readonly proxyPort: number;
}

/** The variables of programs inside: those of programs outside, without what leads out, with what is theirs. */
export function innerEnvironment(
  base: Readonly<Record<string, string>>,
  { home, temp, user, proxyPort }: InnerPlaces,
): Record<string, string> {
  const kept = Object.entries(base).filter(([name]) => !OUTSIDE.test(name));
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
    [name, proxy],
    [name.toLowerCase(), proxy],
  ]);
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    TMPDIR: temp,
    USER: user,
    LOGNAME: user,
    ...Object.fromEntries(proxies),
    // A server that a test starts is inside too.
    NO_PROXY: "localhost,127.0.0.1,::1",
    no_proxy: "localhost,127.0.0.1,::1",
    NODE_USE_ENV_PROXY: "1",
    npm_config_update_notifier: "false",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
  };
}
