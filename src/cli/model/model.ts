import { type ConfiguredModels, configuredModels } from "../../providers/models/index.ts";
import { chosenModel } from "../../core/index.ts";
import { defaultChanges } from "../../shared/json/default-model.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { changeConfig, loadSettings } from "../../app/config/settings.ts";
import { printJson } from "../terminal/output.ts";
import { makeHome } from "../../app/config/home.ts";
import { type Io, write } from "../../app/process/io.ts";

/** `agent model`: shows the default and what can be chosen; with an argument, makes it the default in `config.yaml`. */
export async function model(
  io: Io,
  { choice, json }: { readonly choice?: string; readonly json: boolean },
): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  const { env } = settings;
  // Without a host: no session is asked for anything.
  await using models = configuredModels(settings.models, { env, clock: systemClock, platform: io.platform });
  if (choice !== undefined) {
    const chosen = await chosenModel(models, choice);
    makeHome(settings.paths);
    const before = providerBefore(models, settings.models.provider);
    const changes = defaultChanges(chosen, before, settings.config["model"]);
    await changeConfig(settings.paths, changes);
    return await write(io.stdout, `Default model: ${chosen.provider}:${chosen.name}\n`);
  }
  const current = models.resolve({});
  const listed = await models.list(new AbortController().signal);
  if (json) {
    const list = listed.map(({ provider, model: name, label, contextLength, current: chosen }) => ({
      provider,
      model: name,
      label: label ?? null,
      context_length: contextLength ?? null,
      current: chosen,
    }));
    return await printJson(io, list);
  }
  const lines = listed.map(({ provider, model: name, label, current: chosen }) => {
    return `${chosen ? "*" : " "} ${provider}:${name}${label === undefined ? "" : `  ${label}`}\n`;
  });
  await write(io.stdout, `Default model: ${current.provider}:${current.name}\n${lines.join("")}`);
}

/** The provider of sessions that name none; by its name also when its model is not configured yet. */
function providerBefore(models: ConfiguredModels, named: string | undefined): string {
  if (named !== undefined) return named;
  try {
    return models.resolve({}).provider;
  } catch {
    return "local";
  }
}
