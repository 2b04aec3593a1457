import { existsSync } from "node:fs";
import { stringify } from "yaml";
import { withLiveSettings } from "../../app/config/with-live-settings.ts";
import { readOverrides, withOverrides } from "../../app/config/overrides.ts";
import { asUsage } from "../../app/config/block.ts";
import { checkConfig, configValueAt } from "../../app/config/settings.ts";
import { EXIT, type Io, write, writeLines } from "../../app/process/io.ts";
import { configPort } from "../../app/rpc/config-port.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent config`: the files, and what stands in config.yaml. */
export async function listConfig(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await withLiveSettings(io, async (live) => {
    const { config: file, env, home } = live.current.paths;
    const port = configPort(live);
    const values = port.mask(port.values());
    if (json) return await printJson(io, { home, file, env, values });
    const place = (path: string): string => `${path}${existsSync(path) ? "" : " (not there yet)"}`;
    const text = Object.keys(values).length === 0 ? "" : `\n${stringify(values)}`;
    const lines = `settings  ${place(file)}\nsecrets   ${place(env)}\n${text}`;
    await write(io.stdout, forTerminal(lines));
  });
}

/** `agent config get`. */
export async function getSetting(
  io: Io,
  { key, json }: { readonly key: string; readonly json: boolean },
): Promise<number> {
  return await withLiveSettings(io, async (live) => {
    const port = configPort(live);
    const value = configValueAt(port.mask(port.values()), key.split("."));
    if (value === undefined) {
      await writeLines(
        io.stderr,
        `agent: ${forTerminalLine(key)} is not set in ${live.current.paths.config}.\n`,
      );
      return EXIT.failed;
    }
    if (json) await printJson(io, value);
    else await write(io.stdout, forTerminal(typeof value === "string" ? `${value}\n` : stringify(value)));
    return EXIT.completed;
  });
}

/** What messages call the place of a setting that is to be written. */
const SET_PLACE = "`agent config set`";

/** `agent config set`. @throws HostError `command_usage` for a secret, and for what is no setting */
export async function setSetting(
  io: Io,
  { key, value }: { readonly key: string; readonly value: string },
): Promise<void> {
  const word = `${key}=${value}`;
  await withLiveSettings(io, async (live) => {
    // The same checks as for one process alone.
    const { config } = await withOverrides(live.current, [word], SET_PLACE);
    for (const [keys, read] of await readOverrides([word], SET_PLACE)) {
      asUsage(() => checkConfig(config, live.current.paths.config, [keys]));
      await live.change([[keys, read ?? undefined]]);
    }
    await write(io.stdout, forTerminalLine(`${key} in ${live.current.paths.config}: ${value}`) + "\n");
  });
}
