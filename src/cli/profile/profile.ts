import { baseHome, profileName } from "../../app/config/home.ts";
import {
  createProfile,
  DEFAULT_PROFILE,
  deleteProfile,
  listProfiles,
  profileHome,
} from "../../app/config/profiles.ts";
import { type Io, write } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { printJson } from "../terminal/output.ts";

/** `agent profile list`. */
export async function printProfiles(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const home = baseHome(io.env, io.cwd);
  const current = profileName(io.env);
  const profiles = [DEFAULT_PROFILE, ...listProfiles(home)].map((name) => ({
    name,
    home: profileHome(home, name),
    current: name === current,
  }));
  if (json) return await printJson(io, profiles);
  for (const profile of profiles)
    await write(io.stdout, `${profile.current ? "*" : " "} ${profile.name}  ${profile.home}\n`);
}

/** `agent profile create`. */
export async function makeProfile(io: Io, { name }: { readonly name: string }): Promise<void> {
  const path = createProfile(baseHome(io.env, io.cwd), name);
  await write(
    io.stdout,
    `${path}\nUse it with \`agent -p ${name}\`; \`agent -p ${name} setup\` finds it a model.\n`,
  );
}

/** `agent profile delete`. What runs on it is to be stopped first. */
export async function removeProfile(
  io: Io,
  { name, yes }: { readonly name: string; readonly yes: boolean },
): Promise<void> {
  const home = baseHome(io.env, io.cwd);
  const path = profileHome(home, name);
  if (!yes) {
    const message = `This deletes ${path} with its settings, keys and sessions for good. Stop what runs on it, then add --yes.`;
    throw new HostError("command_usage", message);
  }
  deleteProfile(home, name);
  await write(io.stdout, `Deleted ${path}.\n`);
}
