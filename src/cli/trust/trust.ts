import { resolve } from "node:path";
import { makeHome, homePaths } from "../../app/config/home.ts";
import { type Io, write } from "../../app/process/io.ts";
import { FolderTrust } from "../../app/trust/folder-trust.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

interface Asked {
  readonly folder?: string;
}

/** `agent trust list`: one line a folder. */
export async function listTrust(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const decisions = trustOf(io).list();
  if (json) return await printJson(io, decisions);
  const lines = decisions.map(({ path, trusted }) =>
    forTerminalLine(`${trusted ? "trusted    " : "not trusted"}  ${path}`),
  );
  await write(io.stdout, `${lines.length === 0 ? "No folder was decided about." : lines.join("\n")}\n`);
}

/** `agent trust add`. @throws HostError `not_found`, `config_invalid` */
export const addTrust = (io: Io, { folder }: Asked): Promise<void> => decide(io, { folder, trusted: true });

/** `agent trust deny`. @throws HostError `not_found`, `config_invalid` */
export const denyTrust = (io: Io, { folder }: Asked): Promise<void> => decide(io, { folder, trusted: false });

/** `agent trust remove`. @throws HostError `not_found`, `config_invalid` */
export async function removeTrust(io: Io, { folder = "." }: Asked): Promise<void> {
  const path = await trustOf(io).forget(resolve(io.cwd, folder));
  await write(io.stdout, forTerminalLine(`Forgotten: ${path}`) + "\n");
}

async function decide(
  io: Io,
  { folder = ".", trusted }: { readonly folder: string | undefined; readonly trusted: boolean },
): Promise<void> {
  const trust = trustOf(io);
  const path = await trust.decide(resolve(io.cwd, folder), { trusted, now: systemClock.now() });
  const words = trusted ? "Trusted, with all in it" : "Not trusted";
  await write(io.stdout, forTerminalLine(`${words}: ${path}`) + "\n");
}

function trustOf(io: Io): FolderTrust {
  const paths = homePaths(io.env, io.cwd);
  makeHome(paths);
  return new FolderTrust(paths.home);
}
