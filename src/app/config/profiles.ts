import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";

/** The name of the profile that the home itself is. */
export const DEFAULT_PROFILE = "default";
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** The folder of a home with its profiles. */
const profilesFolder = (home: string): string => join(home, "profiles");

/** Lists the profiles of a home by name, without the default one. */
export function listProfiles(home: string): readonly string[] {
  const folder = profilesFolder(home);
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/**
 * Gives the home of a profile.
 *
 * @throws HostError `config_invalid` for a name that cannot be one, `not_found` for a profile that was not made
 */
export function profileHome(home: string, name: string): string {
  if (name === DEFAULT_PROFILE) return home;
  checkName(name);
  const path = join(profilesFolder(home), name);
  if (existsSync(path)) return path;
  const known = listProfiles(home);
  const near = nearestName(name, known);
  const hint =
    near === undefined
      ? `\`agent profile create ${name}\` makes it; as a prompt it is \`agent run ${name}\`.`
      : `Did you mean ${near}?`;
  throw new HostError("not_found", `There is no profile ${name} in ${profilesFolder(home)}. ${hint}`);
}

/** Makes a profile and gives its home. @throws HostError `config_invalid`, `invalid_params` when it is there already */
export function createProfile(home: string, name: string): string {
  checkName(name);
  const path = join(profilesFolder(home), name);
  makeFolder(home);
  makeFolder(profilesFolder(home));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    if (!existsSync(path)) throw cause;
    throw new HostError("invalid_params", `There is a profile ${name} already: ${path}.`, { cause });
  }
  return path;
}

/** Deletes a profile with all that is in it. @throws HostError `config_invalid`, `not_found` */
export function deleteProfile(home: string, name: string): void {
  checkName(name);
  const path = profileHome(home, name);
  // At once it is no profile any longer, however long the rest takes.
  const away = join(profilesFolder(home), `.deleted-${randomHex(4)}`);
  renameSync(path, away);
  rmSync(away, { recursive: true, force: true });
}

function checkName(name: string): void {
  if (name !== DEFAULT_PROFILE && NAME.test(name)) return;
  const problem =
    name === DEFAULT_PROFILE
      ? "is the home itself"
      : "has other characters than letters, digits, dots, dashes and underscores";
  throw new HostError(
    "config_invalid",
    `${JSON.stringify(name)} cannot be the name of a profile: it ${problem}.`,
  );
}
