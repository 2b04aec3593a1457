import {
  type Host,
  type QuestionRequest,
  type SessionRecord,
  type SessionStatus,
  statusOf,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { HomeStore } from "../../providers/store/index.ts";
import { type DetachedProcess, listDetached } from "./detached-process.ts";

/** Characters of a process's id that are shown, where it has no short one. */
const SHOWN_ID = 6;

/** A session that a process works on. */
export interface WorkingSession {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly status: SessionStatus;
  /** The question that it waits for, in the words of who asks. */
  readonly question?: string;
  readonly queued: number;
}

/** A process of the home that runs turns. Times are Unix milliseconds. */
export interface WorkingProcess {
  readonly id: string;
  readonly hostId: string;
  readonly pid: number;
  /** Its process id means nothing here. */
  readonly isRemote: boolean;
  /** It has no terminal any more, and ends when its turns are done. */
  readonly detached?: DetachedProcess;
  readonly since: number;
  readonly sessions: readonly WorkingSession[];
}

/** Lists the processes that run turns: those without a terminal first. */
export async function workingProcesses(host: Host, store: HomeStore): Promise<readonly WorkingProcess[]> {
  const detached = await listDetached(store.records);
  const working: WorkingProcess[] = [];
  for (const { hostId, pid, alive, isRemote, sessions } of await store.processes()) {
    if (!alive) continue;
    const own = detached.find((each) => each.hostId === hostId);
    const records = await Promise.all(sessions.map((id) => host.record(id)));
    const shown = records.flatMap((record) => (record !== undefined && isShown(record) ? [record] : []));
    if (own === undefined && shown.length === 0) continue;
    const started = shown.flatMap(({ state }) => (state.turn === undefined ? [] : [state.turn.startedAt]));
    const id = own?.id ?? hostId.replace(/^host_/, "").slice(0, SHOWN_ID);
    const since = own?.since ?? Math.min(...started);
    const facts = { id, hostId, pid, isRemote, since, sessions: shown.map(workingSession) };
    working.push(own === undefined ? facts : { ...facts, detached: own });
  }
  return working.toSorted((a, b) => Number(b.detached !== undefined) - Number(a.detached !== undefined));
}

/** A turn of a person's session; the subagents of one are part of it. */
const isShown = ({ state }: SessionRecord): boolean => state.turn !== undefined && state.depth === 0;

function workingSession({ id, state, owner }: SessionRecord): WorkingSession {
  const question = state.questions[0]?.request;
  return {
    id,
    title: state.title || state.preview,
    cwd: state.cwd,
    status: statusOf(state, owner),
    queued: state.queue.length,
    ...(question === undefined ? {} : { question: questionText(question) }),
  };
}

function questionText(request: QuestionRequest): string {
  switch (request.type) {
    case "approval.request":
      return request.command;
    case "clarify.request":
      return request.question;
    case "sudo.request":
      return `password for ${request.command}`;
    case "secret.request":
      return `value of ${request.envVar}`;
  }
}

/**
 * The process that some words name: its id, its pid, or a session that it works on.
 *
 * @throws HostError `conflict` when several are named so
 */
export function processNamed(
  processes: readonly WorkingProcess[],
  words: string,
): WorkingProcess | undefined {
  const exact = processes.find(({ id, pid }) => id === words || String(pid) === words);
  if (exact !== undefined) return exact;
  const names = (each: WorkingProcess): readonly string[] => [
    each.id,
    ...each.sessions.flatMap(({ id }) => [id, id.slice(id.lastIndexOf("_") + 1)]),
  ];
  const found = processes.filter(
    (each) =>
      each.sessions.some(({ title }) => title === words) ||
      names(each).some((name) => name.startsWith(words)),
  );
  if (found.length > 1)
    throw new HostError(
      "conflict",
      `"${words}" may be each of ${found.length} processes: ${found.map(({ id }) => id).join(", ")}. \`agent ps\` shows them.`,
      { details: { subject: words } },
    );
  return found[0];
}
