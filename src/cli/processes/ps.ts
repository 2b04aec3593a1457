import { openAgent } from "../../app/compose.ts";
import {
  type WorkingProcess,
  workingProcesses,
  type WorkingSession,
} from "../../app/detached/working-processes.ts";
import { type Io, write } from "../../app/process/io.ts";
import { formatAge } from "../../shared/text/format.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent ps`: a line for each session that a process works on. */
export async function printProcesses(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const processes = await workingProcesses(agent.host, agent.store);
  if (json) return await printJson(io, processes.map(processJson));
  const lines = processes.flatMap((each) => processLines(each, Date.now()));
  await write(io.stdout, lines.length === 0 ? "No turn runs.\n" : `${HEAD}${lines.join("")}`);
}

const HEAD = tableRow(["ID", "PID", "WINDOW", "SINCE", "DOING", "SESSION"]);

function tableRow([id = "", pid = "", window = "", since = "", doing = "", session = ""]: readonly string[]) {
  return `${id.padEnd(6)}  ${pid.padStart(7)}  ${window.padEnd(6)}  ${since.padStart(5)}  ${doing.padEnd(18)}  ${session}\n`;
}

function processLines(
  { id, pid, detached, since, sessions }: WorkingProcess,
  now: number,
): readonly string[] {
  const head = [id, String(pid), detached === undefined ? "yes" : "no", formatAge(now - since)];
  if (sessions.length === 0) return [tableRow([...head, "ending"])];
  return sessions.map((session) => {
    const asked =
      session.question === undefined ? "" : `        asks: ${forTerminalLine(session.question)}\n`;
    const name = `${session.id}  ${forTerminalLine(session.title)}`;
    return tableRow([...head, doingWords(session), name]) + asked;
  });
}

function doingWords({ status, queued }: WorkingSession): string {
  const more = queued === 0 ? "" : ` +${queued}`;
  switch (status.status) {
    case "idle":
      return `ending${more}`;
    case "working":
      return `working: ${status.doing}${more}`;
    case "waiting":
      return `waiting: ${status.cause}${more}`;
  }
}

const inSeconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);

function processJson({ id, pid, detached, since, sessions }: WorkingProcess): Record<string, unknown> {
  return {
    id,
    pid,
    detached: detached !== undefined,
    cwd: detached?.cwd ?? null,
    since: inSeconds(since),
    until: inSeconds(detached?.until),
    sessions: sessions.map(({ id: session, title, status, question, queued }) => ({
      id: session,
      title,
      status: status.status,
      doing: status.status === "working" ? status.doing : null,
      cause: status.status === "waiting" ? status.cause : null,
      since: status.status === "idle" ? null : inSeconds(status.since),
      question: question ?? null,
      queued,
    })),
  };
}
