import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type McpLogin, mcpLogin, type McpLoginStore } from "../../providers/mcp/oauth/login.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { withFileLock } from "../../shared/files/file-lock.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";

/** A server as far as its login is concerned. */
interface LoggedInServer {
  readonly name: string;
  readonly url: string;
}

const FILE = "mcp_logins.json";

/** The login at a server, in `mcp_logins.json` of a home, which only its owner can read. One for another address is none. */
export function mcpLoginStore(home: string, { name, url }: LoggedInServer): McpLoginStore {
  const path = join(home, FILE);
  let known: { readonly stamp: string; readonly login: McpLogin | undefined } | undefined;
  const own = (logins: Readonly<Record<string, unknown>>): McpLogin | undefined => {
    const { data } = mcpLogin().safeParse(logins[name]);
    return data?.url === url ? data : undefined;
  };
  return {
    read() {
      const stamp = stampOf(path);
      if (known?.stamp !== stamp) known = { stamp, login: own(readLogins(path)) };
      return known.login;
    },
    async change(change) {
      const { signal } = new AbortController();
      const work = async (): Promise<McpLogin | undefined> => {
        const { [name]: before, ...others } = readLogins(path);
        const login = own({ [name]: before });
        const changed = await change(login);
        if (changed === login) return login;
        const logins = changed === undefined ? others : { ...others, [name]: changed };
        replaceFile(path, `${JSON.stringify(logins, undefined, 2)}\n`, 0o600);
        known = undefined;
        return changed;
      };
      return await withFileLock(join(home, `${FILE}.lock`), work, { clock: systemClock, signal });
    },
  };
}

/** A replaced file has another number, also when its time is the same. */
function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeNs} ${found.size}`;
}

function readLogins(path: string): Readonly<Record<string, unknown>> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return {};
  const logins = parseForeignJson(readFileSync(path, "utf8"));
  return isJsonObject(logins) ? logins : {};
}
