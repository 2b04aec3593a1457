import { systemClock } from "../../shared/async/clock.ts";
import { configuredModels, type ConfiguredModels } from "../../providers/models/index.ts";
import { loadSettings, type Settings } from "../../app/config/settings.ts";
import type { Io } from "../../app/process/io.ts";

/** The configured models without a host: for commands that ask no session anything. */
export interface ModelsOnly extends AsyncDisposable {
  readonly models: ConfiguredModels;
  readonly settings: Settings;
}

/** @throws HostError `config_invalid` */
export async function openHostlessModels(io: Io): Promise<ModelsOnly> {
  const settings = await loadSettings(io.env, io.cwd);
  const models = configuredModels(settings.models, {
    env: settings.env,
    clock: systemClock,
    platform: io.platform,
  });
  return { models, settings, [Symbol.asyncDispose]: () => models[Symbol.asyncDispose]() };
}
