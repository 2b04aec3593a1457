import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf, HostError } from "../../shared/errors/host-error.ts";
import { DEFAULT_PROFILE, profileHome } from "./profiles.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";

/** The absolute paths of a home and of its files. */
export interface HomePaths {
  readonly home: string;
  /** The name of the profile whose home it is. */
  readonly profile: string;
  readonly config: string;
  readonly env: string;
  readonly logs: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the profile that `AGENT_PROFILE` chooses. */
export const profileName = (env: Environment): string => env["AGENT_PROFILE"]?.trim() || DEFAULT_PROFILE;

/**
 * The paths of the home: `AGENT_HOME` or `~/.agent`, and `profiles/<name>` in it when `AGENT_PROFILE` chooses one. Makes
 * nothing.
 *
 * @throws HostError `config_invalid` when neither the environment nor the system knows a home, `not_found` for a profile
 * that was not made
 */
export function homePaths(env: Environment, cwd: string): HomePaths {
  const profile = profileName(env);
  const home = profileHome(baseHome(env, cwd), profile);
  return {
    home,
    profile,
    config: join(home, "config.yaml"),
    env: join(home, ".env"),
    logs: join(home, "logs"),
  };
}

/** The home that holds the profiles. @throws HostError `config_invalid` */
export function baseHome(env: Environment, cwd: string): string {
  const named = env["AGENT_HOME"]?.trim() ?? "";
  // Files and editors hand a `~` over as it stands, where a shell would have replaced it.
  const written = named === "" ? "~/.agent" : named;
  return resolve(
    cwd,
    written.replace(/^~(?=\/|$)/, () => userHome(env)),
  );
}

/**
 * The real paths of the folders that belong to agents and to no workspace: this home, the one that its profile is of, and the
 * usual one, which holds other profiles and their keys.
 */
export function agentFolders({ home }: Pick<HomePaths, "home">, env: Environment): readonly string[] {
  const profiles = dirname(home);
  const folders = [home, ...(basename(profiles) === "profiles" ? [dirname(profiles)] : [])];
  return [...new Set([...folders, join(userHome(env), ".agent")].map(realPath))];
}

/** The real path of the person's home folder. */
export const personHome = (env: Environment): string => realPath(userHome(env));

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // It is not there, or not for us; then its name is all that there is.
    return path;
  }
}

/** An empty `HOME` is as good as none. */
function userHome({ HOME: home }: Environment): string {
  if (home !== undefined && home.trim() !== "") return home;
  try {
    return userInfo().homedir;
  } catch (cause) {
    throw new HostError(
      "config_invalid",
      "HOME is not set, and this machine knows no home of this user. Set AGENT_HOME to a folder for the agent's files.",
      { cause },
    );
  }
}

/**
 * Makes the home when it is not there yet, for its owner's eyes only.
 *
 * @throws HostError `store_unavailable` when it cannot be made or is no directory
 */
export function makeHome({ home }: HomePaths): void {
  try {
    makeFolder(home);
  } catch (cause) {
    throw new HostError(
      "store_unavailable",
      `Cannot make the agent's home ${home}: ${unmadeReason(cause)}. Make it yourself, or name another one in AGENT_HOME.`,
      { cause },
    );
  }
}

/** There is no such file; whether its folder could be made is another question. */
export function isAbsent(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  ENOENT: "there is no such file or folder",
  ELOOP: "a link leads back to itself",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "a file of that name is in the way",
  EISDIR: "a folder of that name is in the way",
};

/** Folders above are made too: one that is not there cannot be. */
const unmadeReason = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    ? "the file system makes no such folder"
    : systemReason(cause);

/** The reason that the operating system gave for a failure, in words. */
export function systemReason(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return REASONS[code] ?? messageOf(cause);
}
