import type { ModelsConfig } from "../../providers/models/index.ts";

const SECRET_NAME = /(^|_|API)(KEY|TOKEN|SECRET|PASSPHRASE|CREDENTIALS?|PAT)$|PASSW(OR)?D$|_PWD$/i;

/**
 * Values that must not be shown: those of variables whose names say so, of those that the configuration names as keys,
 * and keys that it holds itself.
 *
 * @param more - names of variables that hold other keys
 */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  models: ModelsConfig,
  more: readonly (string | undefined)[] = [],
): readonly string[] {
  const providers = [models, ...(models.providers?.values() ?? [])];
  const named = new Set([...providers.map(({ keyEnv }) => keyEnv), ...more]);
  const variables = Object.entries(env).filter(([name]) => SECRET_NAME.test(name) || named.has(name));
  const values = [...variables.map(([, value]) => value), ...providers.map(({ apiKey }) => apiKey)];
  return values.flatMap((value) => (value === undefined || value === "" ? [] : [value]));
}
