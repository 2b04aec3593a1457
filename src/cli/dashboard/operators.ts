import { type Agent, openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import {
  AuditLog,
  type AuditEntry,
  auditLine,
  CookieSessions,
  signOutFromHere,
} from "../../dashboard/index.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent dashboard audit`. */
export async function printAudit(
  io: Io,
  { limit, json }: { readonly limit: number; readonly json: boolean },
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const audit = new AuditLog(agent.store.records, agent.host.services);
  let printed = 0;
  for await (const entry of audit.entries()) {
    if (!json && printed === limit) break;
    await write(io.stdout, json ? auditLine(entry) : lineOf(entry));
    printed += 1;
  }
  if (printed === 0 && !json) await write(io.stdout, "Nothing was done at the dashboard yet.\n");
}

/** `agent dashboard who`. */
export async function listSignIns(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const found = await signInsOf(agent).list();
  if (json) return await printJson(io, found);
  const lines = found.map(
    ({ id, who, way, seenAt, address, browser }) =>
      `${forTerminalLine(`${id}  ${who} by ${way}, seen ${localTime(seenAt)}  ${address}  ${browser}`)}\n`,
  );
  await write(io.stdout, lines.join("") || "Nobody is signed in.\n");
}

/** `agent dashboard signout`. @throws HostError `not_found` */
export async function signOut(io: Io, { id }: { readonly id: string }): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const { who } = await signOutFromHere(agent.store.records, agent.host.services, id);
  await write(io.stdout, `${forTerminalLine(who)} is signed out.\n`);
}

const signInsOf = ({ store, host }: Agent): CookieSessions =>
  new CookieSessions(store.records, host.services.clock);

function lineOf({ at, who, from, action, subject, before, after }: AuditEntry): string {
  const facts = [before, after].filter((each) => each !== undefined).map((each) => JSON.stringify(each));
  const what = [action, subject, facts.join(" -> ")].filter((each) => each !== undefined && each !== "");
  return `${forTerminalLine(`${localTime(at)}  ${who}  ${from}  ${what.join("  ")}`)}\n`;
}
