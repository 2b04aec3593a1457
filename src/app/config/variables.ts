import { invalidSetting } from "./block.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Puts variables in the place of `${NAME}` and `${NAME:-otherwise}`; empty text stands for one that is not set.
 *
 * @param missing - told of each variable that is not set and has no other value
 */
export function withVariables(text: string, env: Environment, missing: (variable: string) => void): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_all, variable: string, otherwise?: string) => {
    const value = env[variable];
    if (value !== undefined && value !== "") return value;
    if (otherwise === undefined) missing(variable);
    return otherwise ?? "";
  });
}

/** Refuses a setting that names a variable which is not set. @throws HostError `config_invalid` */
export const notSet =
  (place: string) =>
  (variable: string): never => {
    throw invalidSetting(place, `names \${${variable}}, which is set neither in .env nor in the environment`);
  };
