import { resolve } from "node:path";
import { loadSettings } from "../../app/config/settings.ts";
import { checkedStoreUrl, shownStoreUrl } from "../../app/config/store.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import { recordsOfFiles } from "../../app/store/home-copy.ts";
import type { CopyProgress, CopyReport } from "../../providers/store/copy/copy-home.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { counted } from "../../shared/text/counted.ts";
import { printJson } from "../terminal/output.ts";

const TOLD_MS = 1000;

/** `agent store copy`. @throws HostError `command_usage`, `config_invalid`, `not_found`, `conflict`, `store_*` */
export async function copyStore(
  io: Io,
  { home, url: named, json }: { readonly home: string; readonly url?: string; readonly json: boolean },
): Promise<void> {
  const url = await targetUrl(io, named);
  const { copyHome } = await import("../../providers/store/copy/copy-home.ts");
  await writeLines(io.stderr, `Copying ${resolve(io.cwd, home)} to ${shownStoreUrl(url)} …\n`);
  let toldAt = systemClock.monotonic();
  const report = await copyHome({
    home: resolve(io.cwd, home),
    url,
    pid: io.pid,
    clock: systemClock,
    records: recordsOfFiles,
    progress(progress) {
      if (systemClock.monotonic() - toldAt < TOLD_MS) return;
      toldAt = systemClock.monotonic();
      io.stderr.write(`${progressLine(progress)}\n`);
    },
  });
  if (json) await printJson(io, report);
  else await write(io.stdout, reportText(report));
}

/** @throws HostError `command_usage` for a password among the arguments, which everybody on the machine can read */
async function targetUrl(io: Io, named: string | undefined): Promise<string> {
  if (named === undefined) {
    const { store } = await loadSettings(io.env, io.cwd);
    if (store.url !== undefined) return store.url;
    throw new HostError(
      "command_usage",
      "No database is named. Set AGENT_STORE_URL or store.url, or give its address behind the home.",
    );
  }
  const url = checkedStoreUrl(named, "The address");
  const { password, searchParams } = new URL(url);
  if (password === "" && !searchParams.has("password")) return url;
  throw new HostError(
    "command_usage",
    "The address holds a password, which everybody on this machine could read. Put the whole address into AGENT_STORE_URL, and leave it out here.",
  );
}

function progressLine({ part, all, sessions, rows, blobs }: CopyProgress): string {
  switch (part) {
    case "sessions":
      return `${sessions} of ${counted(all.sessions, "session")}, ${rows} of ${counted(all.rows, "row")}`;
    case "blobs":
      return `${blobs} of ${counted(all.blobs, "file")}`;
    case "records":
      return `${counted(all.records, "record")} …`;
    case "done":
      return "Done.";
  }
}

function reportText({ continued, sessions, were, rows, blobs, records, feed, lost }: CopyReport): string {
  const went = continued ? `It went on with a copy that had ${counted(were, "session")}.\n` : "";
  const missing =
    lost.length === 0
      ? ""
      : `${counted(lost.length, "file")} of sessions could not be read in the home and are not in the database: ${lost.join(", ")}.\n`;
  const copied = `${counted(sessions, "session")} with ${counted(rows, "row")}, ${counted(blobs, "file")}, ${counted(records, "record")} and ${counted(feed, "event")} of the feed`;
  return `${went}Copied and read back: ${copied}. Memory and webhook routes are among the records.
${missing}Each machine keeps its own config.yaml, .env, SOUL.md and skills/: deploy them there, with store.url in config.yaml or AGENT_STORE_URL.
The home is as it was. Start no gateway on it any more: what it would write is not in the database.
`;
}
