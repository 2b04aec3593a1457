/** The environment's variables by their names. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The value of a variable without white space around it; `undefined` when it is blank or not set. */
export const valueOf = (env: EnvironmentVariables, name: string): string | undefined =>
  env[name]?.trim() || undefined;
