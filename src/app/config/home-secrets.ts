import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../shared/async/clock.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
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

/** Reads the files again when they have changed, which is looked at once a second: commands write them meanwhile. */
export function homeSecrets(home: string, clock: Clock): HomeSecrets {
  const files = Object.entries(FILES).map(([name, read]) => fileSecrets(join(home, name), read));
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

function fileSecrets(path: string, read: (text: string) => readonly string[]): HomeSecrets {
  let mtime = 0;
  let known: readonly string[] = [];
  return () => {
    try {
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (changed === mtime) return known;
      mtime = changed;
      // What was a secret stays hidden: logs and transcripts still hold it.
      if (changed !== 0) known = [...new Set([...known, ...read(readFileSync(path, "utf8"))])];
    } catch {
      // Its reader says what is wrong with the file.
    }
    return known;
  };
}
