import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "../../shared/errors/host-error.ts";
import { secretFault } from "../../http/server/bearer.ts";
import { isAbsent } from "../config/home.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import type { AppSettings } from "../config/settings.ts";

/** The credential of the gateway's WebSocket. */
export interface GatewayToken {
  readonly token: string;
  /** The variable or file that holds it, for people. */
  readonly source: string;
  /** It was made just now: nobody has seen it. */
  readonly fresh: boolean;
}

const VARIABLE = "AGENT_GATEWAY_TOKEN";

/**
 * Finds the token in `AGENT_GATEWAY_TOKEN`, else in `gateway.token` of the home; makes one there when there is none.
 *
 * @throws HostError `config_invalid` for one that is too short or a placeholder
 */
export function gatewayToken({ env, paths }: AppSettings): GatewayToken {
  const named = env[VARIABLE]?.trim() ?? "";
  if (named !== "") return { token: checked(named, VARIABLE), source: VARIABLE, fresh: false };
  const path = join(paths.home, "gateway.token");
  const kept = read(path);
  if (kept !== "") return { token: checked(kept, path), source: path, fresh: false };
  const token = randomBytes(24).toString("base64url");
  replaceFile(path, `${token}\n`, 0o600);
  return { token, source: path, fresh: true };
}

function checked(token: string, source: string): string {
  const fault = secretFault(token);
  if (fault === undefined) return token;
  const remedy = "Make one, for example with `openssl rand -hex 32`.";
  throw new HostError("config_invalid", `${source} ${fault}. ${remedy}`, { details: { subject: source } });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (thrown) {
    if (isAbsent(thrown)) return "";
    throw thrown;
  }
}
