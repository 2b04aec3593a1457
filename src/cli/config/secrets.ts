const SECRET_NAME = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Values that must not be shown: those of variables whose names say so, and of those that the configuration names. */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): readonly string[] {
  const secret = Object.entries(env).filter(([name]) => SECRET_NAME.test(name) || named.includes(name));
  return secret.flatMap(([, value]) => (value === undefined || value === "" ? [] : [value]));
}
