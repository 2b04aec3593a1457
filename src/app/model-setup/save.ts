import { setEnvValue } from "../config/env-file.ts";
import { makeHome } from "../config/home.ts";
import { changeConfig, type AppSettings } from "../config/settings.ts";
import { KEY_ENV_ALIASES } from "../../providers/models/index.ts";
import { type CompleteChoice, keyVariable, modelBlock } from "./choices.ts";

/**
 * Saves choices: the `model` block in `config.yaml`, other keys and comments kept, and a given key in `.env`. In keyless
 * mode nothing is written there.
 */
export async function saveChoices(
  choices: CompleteChoice,
  { paths }: Pick<AppSettings, "paths">,
): Promise<void> {
  makeHome(paths);
  const { name } = keyVariable(choices);
  const { key } = choices;
  if (!choices.keyless && key !== undefined && name !== undefined) await setEnvValue(paths.env, name, key);
  const changes = Object.entries(modelBlock(choices)).map(
    ([field, value]) => [["model", field], value] as const,
  );
  // Other names for the same settings would win over what is written now.
  const others = ["api_key", ...KEY_ENV_ALIASES, "kind"]
    .filter((field) => field !== "key_env")
    .map((field) => [["model", field], undefined] as const);
  await changeConfig(paths, [...changes, ...others]);
}
