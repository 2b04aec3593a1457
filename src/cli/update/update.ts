import { baseHome } from "../../app/config/home.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import { ownProgram } from "../../app/process/own-program.ts";
import { checkoutCommands, installationOf } from "../../app/update/installation.ts";
import { update } from "../../app/update/update.ts";
import type { JournalEntry, UpdateStep } from "../../app/update/update-journal.ts";
import { isNewer } from "../../app/update/version-order.ts";
import { Versions } from "../../app/update/versions.ts";

interface UpdateFlags {
  readonly check: boolean;
  readonly json: boolean;
}

const ASK_MS = 60_000;

const WORDS: Readonly<Record<UpdateStep, string>> = {
  "back-up": "Backing up the home",
  install: "Installing beside what runs",
  try: "Trying it on a copy of the home",
  switch: "Switching",
  restart: "Starting what serves the home anew",
};

/** `agent update`. @throws HostError `conflict`, `fetch_failed`, `not_found`, `store_*`, `timeout` */
export async function runUpdate(io: Io, { check, json }: UpdateFlags): Promise<void> {
  const { paths, drainMs } = await loadSettings(io.env, io.cwd);
  const installation = installationOf(ownProgram(io.machine));
  const { version } = installation;
  const say = (words: string, value: unknown): Promise<void> =>
    write(io.stdout, json ? `${JSON.stringify(value)}\n` : `${words}\n`);
  if (installation.isCheckout) {
    const commands = checkoutCommands(installation);
    const words = `Version ${version} is a checkout. Update it with:\n${commands.map((line) => `  ${line}`).join("\n")}`;
    return await say(words, { version, commands });
  }
  const base = baseHome(io.env, io.cwd);
  const versions = new Versions(base, io);
  const newest = await versions.newest(AbortSignal.timeout(ASK_MS));
  if (!isNewer(newest, version))
    return await say(`Version ${version} is the newest one.`, { version, newest });
  if (check) return await say(`Version ${newest} is there; this is ${version}.`, { version, newest });
  const told = async (entry: JournalEntry): Promise<void> => {
    if (json) await write(io.stdout, `${JSON.stringify(entry)}\n`);
    else if (entry.outcome === undefined) await writeLines(io.stderr, `${WORDS[entry.step]} …\n`);
  };
  await update({ io, base, home: paths.home, drainMs, installation, versions, told }, newest);
  if (!json)
    await write(
      io.stdout,
      `Version ${newest} is in its place. Windows that are open go on with ${version}.\n`,
    );
}
