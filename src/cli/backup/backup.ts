import { type Backup, Backups } from "../../app/backup/backups.ts";
import { homePaths } from "../../app/config/home.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { shownStoreUrl } from "../../app/config/store.ts";
import { type Io, write } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { formatAge, formatBytes } from "../../shared/text/format.ts";
import { printJson } from "../terminal/output.ts";

const REASONS: Readonly<Record<Backup["reason"], string>> = {
  asked: "",
  update: "before an update",
  restore: "before a restore",
};

/** `agent backup list`. */
export async function listBackups(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const found = backupsOf(io).list();
  if (json) return await printJson(io, found);
  const now = Date.now();
  const lines = found.map(({ name, madeAt, bytes, version, reason }) =>
    `${name.padEnd(22)}  ${formatAge(now - madeAt).padStart(4)}  ${formatBytes(bytes).padStart(7)}  ${version}  ${REASONS[reason]}`.trimEnd(),
  );
  const none = "There is no backup yet: `agent backup make` makes one.";
  await write(io.stdout, `${lines.join("\n") || none}\n`);
}

/** `agent backup make`. @throws HostError `not_found`, `store_*` */
export async function makeBackup(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await requireOwnStore(
    io,
    "A backup holds a home's own SQLite, which is not in use here. Back the database up with its own tools, such as pg_dump, and keep config.yaml, .env, SOUL.md and skills/ as you deploy them: docs/cluster.md.",
  );
  const made = await backupsOf(io).make("asked");
  if (json) return await printJson(io, made);
  await write(io.stdout, `${made.name} (${formatBytes(made.bytes)}) in ${made.home}\n`);
}

/** `agent backup restore`. @throws HostError `not_found`, `store_*` */
export async function restoreBackup(io: Io, { name }: { readonly name: string }): Promise<void> {
  await requireOwnStore(
    io,
    "A backup holds a home's own SQLite, which is not in use here: it would bring back nothing that the agent shows. Take store.url out of config.yaml and AGENT_STORE_URL out of the environment to use it again.",
  );
  const before = await backupsOf(io).restore(name);
  const undo = before === undefined ? "" : ` \`agent backup restore ${before.name}\` takes that back.`;
  await write(io.stdout, `The home is as it was in ${name}.${undo}\n`);
}

/** `agent backup remove`. @throws HostError `not_found` */
export async function removeBackup(io: Io, { name }: { readonly name: string }): Promise<void> {
  await backupsOf(io).remove(name);
  await write(io.stdout, `Removed ${name}.\n`);
}

/** @throws HostError `conflict` where the store is a database that machines share */
async function requireOwnStore(io: Io, why: string): Promise<void> {
  const { url } = (await loadSettings(io.env, io.cwd)).store;
  if (url !== undefined) throw new HostError("conflict", `The store is ${shownStoreUrl(url)}. ${why}`);
}

const backupsOf = ({ env, cwd }: Io): Backups => new Backups(homePaths(env, cwd).home);
