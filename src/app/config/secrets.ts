import { isJsonObject } from "../../shared/json/json.ts";

/** Names of settings, variables, headers and parameters that hold a secret, in the spellings of all of them. */
const SECRET_NAME =
  /(^|[^a-z]|api)(key|token|secret|passphrase|credentials?|pat|authorization|cookie|signature|sig)$|passw(or)?d$|_pwd$/i;
const CAMEL_CASE_NAME = /[a-z](Key|Token|Secret|Passphrase|Credentials?)$/;
/** Keys of other kinds. */
const NO_SECRET = new Set(["record_key"]);
/** A setting that names the variable in which a secret is. */
const NAMES_VARIABLE = /(key|token|secret|password)_?env$/i;
/** A value that says that there is none. */
const NO_VALUE = new Set(["INSECURE_NO_AUTH"]);

type Environment = Readonly<Record<string, string | undefined>>;

/** Tells whether the value of a setting, variable or header of this name is a secret. */
export const isSecretName = (name: string): boolean =>
  (SECRET_NAME.test(name) || CAMEL_CASE_NAME.test(name)) && !NO_SECRET.has(name);

/**
 * The values that must not be shown: in the environment and in all blocks of the configuration those whose names say so,
 * those of the variables that the configuration names, and those in addresses.
 */
export function secretValues(env: Environment, config: unknown): readonly string[] {
  const named = new Set(variablesIn(config));
  const variables = Object.entries(env).flatMap(([name, text = ""]) =>
    secretsIn(text, named.has(name) || isSecretName(name)),
  );
  return [...new Set([...variables, ...secretsInTree(config)])];
}

/** The secrets in values as JSON has them. A text that stands for a variable is none. */
export function secretsInTree(value: unknown, isSecret = false): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((part: unknown) => secretsInTree(part, isSecret));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, part]) => secretsInTree(part, isSecretName(name)));
  if (typeof value === "number" && isSecret) return [String(value)];
  return typeof value === "string" && !value.includes("${") ? secretsIn(value, isSecret) : [];
}

function variablesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(variablesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    NAMES_VARIABLE.test(name) && typeof part === "string" ? [part] : variablesIn(part),
  );
}

/** Of `Bearer abc`, also `abc` alone. */
function secretsIn(value: string, isSecret: boolean): readonly string[] {
  const text = value.trim();
  if (text === "" || NO_VALUE.has(text)) return [];
  const own = isSecret ? [text, ...text.split(/\s+/).slice(1)] : [];
  return [...own, ...secretsInAddress(text)];
}

/** An address of a proxy may stand without its protocol. */
const LOGIN = /^[^\s/@]+:[^\s/@]*@[^\s/@]+$/;

const DATABASE = /^(postgres|postgresql):$/;

/** The password of an address, a name before its host without one, parameters that are secrets, and tokens in its path. */
function secretsInAddress(text: string): readonly string[] {
  const url = URL.parse(LOGIN.test(text) ? `http://${text}` : text);
  if (url === null || (url.host === "" && url.search === "")) return [];
  const { protocol, username, password, pathname, searchParams } = url;
  // A token stands alone before an address of the web, a person or a program before one of a database.
  const alone = DATABASE.test(protocol) ? [] : [username];
  // A short password is found together with its name only: alone it may be an ordinary word.
  const login = password === "" ? alone : [password, `${username}:${password}`];
  const parameters = [...searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  const tokens = pathname.split(/[/:]/).filter((part) => isToken(decoded(part)));
  return [...login, ...parameters, ...tokens]
    .filter((secret) => secret !== "")
    .flatMap((secret) => [...new Set([secret, decoded(secret)])]);
}

/** Random letters and digits, as platforms put them into the addresses of their webhooks; names are not so mixed. */
const isToken = (text: string): boolean =>
  (text.length >= 20 && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) && !/[.\s]/.test(text)) ||
  /^[0-9a-f]{32,}$/.test(text);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing.
    return text;
  }
}
