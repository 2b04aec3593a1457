import { makeHome } from "../../app/config/home.ts";
import { changeConfig, loadSettings } from "../../app/config/settings.ts";
import { type Io, write } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";

/** A server as the command line names it. */
interface NewServer {
  readonly name: string;
  /** The program with its arguments, or the address alone. */
  readonly target: readonly string[];
  readonly url?: string;
  readonly transport?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
}

/** `agent mcp add`: keeps a server in the configuration. @throws HostError `command_usage`, `config_invalid` */
export async function addMcp(io: Io, server: NewServer): Promise<void> {
  const { name } = server;
  const entry = entryOf(server);
  const { blocks, paths } = await loadSettings(io.env, io.cwd);
  if (blocks.mcp_servers?.[name] !== undefined)
    throw usage(`There is an MCP server ${name} already: \`agent mcp remove ${name}\` removes it.`);
  makeHome(paths);
  await changeConfig(paths, [[["mcp_servers", name], entry]]);
  const said = forTerminalLine(
    `Saved to ${paths.config}: ${name}. \`agent mcp test ${name}\` connects to it.`,
  );
  await write(io.stdout, `${said}\n`);
}

/** `agent mcp remove`. @throws HostError `command_usage` for a server that is not configured, `config_invalid` */
export async function removeMcp(io: Io, { name }: { readonly name: string }): Promise<void> {
  const { blocks, paths } = await loadSettings(io.env, io.cwd);
  const known = Object.keys(blocks.mcp_servers ?? {});
  if (!known.includes(name)) {
    const configured = known.length === 0 ? "none is configured" : `configured: ${known.join(", ")}`;
    throw usage(`There is no MCP server ${name}; ${configured}.`);
  }
  await changeConfig(paths, [[["mcp_servers", name], undefined]]);
  await write(io.stdout, `${forTerminalLine(`Removed from ${paths.config}: ${name}.`)}\n`);
}

function entryOf({ target, url, transport, env, header }: NewServer): Readonly<Record<string, unknown>> {
  const [first, ...args] = target;
  const address = url ?? (first !== undefined && /^https?:\/\//.test(first) ? first : undefined);
  if (address !== undefined) {
    if (target.length > (url === undefined ? 1 : 0) || env !== undefined)
      throw usage("A server has either an address, or a program with its arguments and variables.");
    return { url: address, ...defined({ transport, headers: header && pairs(header, ":") }) };
  }
  if (first === undefined)
    throw usage("Name the program that starts the server behind `--`, or its address with --url.");
  if (header !== undefined) throw usage("--header is for a server with an address.");
  return {
    command: first,
    ...defined({ transport, args: args.length === 0 ? undefined : args, env: env && pairs(env, "=") }),
  };
}

/** Names with their values. A name alone stands for the variable of that name, which is read when the server starts. */
function pairs(texts: readonly string[], mark: "=" | ":"): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(mark);
      const name = (at === -1 ? text : text.slice(0, at)).trim();
      if (!/^[\w-]+$/.test(name) || (at === -1 && mark === ":"))
        throw usage(
          `${mark === "=" ? "--env takes NAME=value" : "--header takes 'Name: value'"}, not ${name}.`,
        );
      return [name, at === -1 ? `\${${name}}` : text.slice(at + 1).trim()];
    }),
  );
}

const usage = (message: string): HostError => new HostError("command_usage", message);
