import type { Clock } from "../../shared/async/clock.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import { homeFolder, type HomeTexts } from "./home-texts.ts";
import { secretsInTree } from "./secrets.ts";

/** The secrets that the home's own files hold, as they are now. */
export type HomeSecrets = () => readonly string[];

/** Milliseconds for which what was read is believed. */
const FRESH_MS = 1000;

/** The files in which this program and its commands keep secrets, and how they are found there. */
const FILES: Readonly<Record<string, (text: string) => readonly string[]>> = {
  "gateway.token": (text) => [text.trim()],
  "mcp_logins.json": (text) => loginSecrets(parseForeignJson(text)),
  "push_keys.json": (text) => pushSecret(parseForeignJson(text)),
  "webhook_addresses.json": (text) => secretsInTree(parseForeignJson(text)),
  "webhook_subscriptions.json": (text) => secretsInTree(parseForeignJson(text)),
};

const LOGIN_SECRETS = ["accessToken", "refreshToken", "clientSecret"];

/** The secrets of logins at MCP servers. */
const loginSecrets = (logins: unknown): readonly string[] =>
  (isJsonObject(logins) ? Object.values(logins) : []).flatMap((login) =>
    LOGIN_SECRETS.flatMap((name) => {
      const value = isJsonObject(login) ? login[name] : undefined;
      return typeof value === "string" ? [value] : [];
    }),
  );

/** The half of the keys for push services that nobody else has. */
function pushSecret(keys: unknown): readonly string[] {
  const secret = isJsonObject(keys) ? keys["privateKey"] : undefined;
  return typeof secret === "string" ? [secret] : [];
}

/** The names of these files. */
export const SECRET_FILES: readonly string[] = Object.keys(FILES);

/** Those that machines of a cluster share; the others are each machine's own. */
export const SHARED_FILES: readonly string[] = [
  "push_keys.json",
  "webhook_addresses.json",
  "webhook_subscriptions.json",
];

/** Reads the files again once a second: commands write them meanwhile. */
export function homeSecrets(
  home: string,
  { clock, texts }: { readonly clock: Clock; readonly texts?: HomeTexts },
): HomeSecrets {
  const own = homeFolder(home);
  const files = Object.entries(FILES).map(([name, read]) => {
    const place = SHARED_FILES.includes(name) ? (texts ?? own) : own;
    return fileSecrets(() => place.read(name), read);
  });
  let known: readonly string[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (now - readAt >= FRESH_MS) {
      known = files.flatMap((secrets) => secrets());
      readAt = now;
    }
    return known;
  };
}

function fileSecrets(load: () => string, read: (text: string) => readonly string[]): HomeSecrets {
  let before = "";
  let known: readonly string[] = [];
  return () => {
    try {
      const text = load();
      if (text === before) return known;
      before = text;
      // What was a secret stays hidden: logs and transcripts still hold it.
      if (text !== "") known = [...new Set([...known, ...read(text)])];
    } catch {
      // Its reader says what is wrong with the file.
    }
    return known;
  };
}
