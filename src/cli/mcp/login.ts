import { configuredMcpServers } from "../../app/config/mcp-servers.ts";
import { makeHome } from "../../app/config/home.ts";
import { type AppSettings, loadSettings } from "../../app/config/settings.ts";
import { mcpLoginStore } from "../../app/mcp/login-store.ts";
import { loginWeb } from "../../app/mcp/server-context.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import type { BegunLogin, McpLogin, WebServer } from "../../providers/mcp/index.ts";
import { Deadline } from "../../shared/async/deadline.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { LineInput } from "../terminal/line-input.ts";
import { type CallbackListener, listenForCallback } from "./callback-listener.ts";
import { openBrowser } from "../terminal/open-browser.ts";

/** Milliseconds that the person has for the login in the browser. */
const LOGIN_MS = 10 * 60_000;

/** `agent mcp login`: a login by browser, whose tokens are kept in the home. */
export async function loginMcp(
  io: Io,
  { name, browser }: { readonly name: string; readonly browser: boolean },
): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  const server = webServerNamed(settings, name);
  makeHome(settings.paths);
  const { beginLogin } = await import("../../providers/mcp/index.ts");
  const privateHosts = settings.blocks.web?.private_hosts ?? [];
  await using web = loginWeb(server, { env: settings.env, privateHosts });
  await using listener = await listenForCallback(server.oauth?.callbackPort);
  using deadline = new Deadline({ clock: systemClock, ms: LOGIN_MS });
  const begun = await beginLogin({
    server,
    fetch: (url, init) => web.fetch(url, init),
    redirectUrl: listener.url,
    clock: systemClock,
    random: randomHex,
    signal: deadline.signal,
  });
  const login = await finished(io, { begun, listener, browser, signal: deadline.signal });
  await mcpLoginStore(settings.paths.home, server).change(() => Promise.resolve(login));
  const said = `Logged in at ${name}. \`agent mcp test ${name}\` connects to it; processes that run take the login up by themselves.`;
  await writeLines(io.stdout, `${forTerminalLine(said)}\n`);
}

/** `agent mcp logout`: the tokens are forgotten here. */
export async function logoutMcp(io: Io, { name }: { readonly name: string }): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  const server = webServerNamed(settings, name);
  const store = mcpLoginStore(settings.paths.home, server);
  const known = store.read();
  if (known === undefined)
    throw new HostError(
      "not_found",
      `There is no login at ${name}. \`agent mcp list\` shows those that are.`,
    );
  await store.change(() => Promise.resolve(undefined));
  const issuer = forTerminalLine(new URL(known.issuer).host);
  await write(
    io.stdout,
    `Logged out of ${forTerminalLine(name)}: its tokens are deleted here. ${issuer} ends them in its own settings.\n`,
  );
}

function webServerNamed({ blocks, env }: AppSettings, name: string): WebServer {
  const servers = configuredMcpServers(blocks.mcp_servers, env);
  const server = servers.find((each) => each.name === name);
  const reached = servers.flatMap((each) => (each.type === "stdio" ? [] : [each.name]));
  if (server === undefined || server.type === "stdio") {
    const why =
      server === undefined ? `There is no MCP server ${name}` : `${name} is a program, and needs no login`;
    const others = reached.length === 0 ? "none is reached over HTTP" : `over HTTP: ${reached.join(", ")}`;
    throw new HostError("command_usage", `${why}; ${others}.`);
  }
  if (server.problem !== undefined) throw new HostError("config_invalid", `${name}: ${server.problem}.`);
  return server;
}

interface Waiting {
  readonly begun: BegunLogin;
  readonly listener: CallbackListener;
  readonly browser: boolean;
  readonly signal: AbortSignal;
}

/** Waits for the browser, or for the address that it came to, which the person pastes. */
async function finished(io: Io, { begun, listener, browser, signal }: Waiting): Promise<McpLogin> {
  const opened = browser && openBrowser(io, begun.address);
  await writeLines(
    io.stderr,
    opened ? "A browser opens. If none does, open this address:\n" : "Open this address in a browser:\n",
  );
  await write(io.stderr, `\n  ${forTerminalLine(begun.address)}\n\n`);
  await writeLines(
    io.stderr,
    "If the browser is on another machine, it ends on a page that cannot be shown: paste that page's address here.\n",
  );
  const over = new AbortController();
  const waiting = AbortSignal.any([signal, over.signal]);
  const late = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => late.reject(tooLate()), { once: true });
  try {
    const came = listener.came((address) => begun.belongs(address));
    // Where nothing is typed, the browser is waited for.
    const typed = pasted(io, begun, waiting).then((address) => address ?? came);
    return await begun.finish(await Promise.race([came, typed, late.promise]));
  } finally {
    over.abort();
  }
}

const tooLate = (): HostError =>
  new HostError("timeout", "Nobody logged in within ten minutes: nothing was changed.");

/** The address that the person pastes; what does not belong to the login is said and passed over. */
async function pasted(io: Io, begun: BegunLogin, signal: AbortSignal): Promise<URL | undefined> {
  using lines = new LineInput(io, io.stderr);
  for (;;) {
    const typed = await lines.next(signal);
    if (typed === undefined || typed.type === "end") return undefined;
    if (typed.type === "interrupt")
      throw new HostError("interrupted", "The login was stopped: nothing was changed.");
    const address = URL.parse(typed.text.trim());
    if (address !== null && begun.belongs(address)) return address;
    if (typed.text.trim() !== "")
      lines.say(
        "That is not the address that this login comes back to. Paste it whole, with all that follows the `?`.\n",
      );
  }
}
