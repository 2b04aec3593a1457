import type { HostFacts, Operations, StoreEvent } from "../operations.ts";
import {
  answerCommands,
  answererOf,
  isSettled,
  returnCommands,
  sendCommand,
  sweepCommands,
  takeCommands,
  withdraw,
} from "./commands.ts";
import type { HomeData } from "./home.ts";
import { beat, bury, listHosts, showHost } from "./hosts.ts";
import { recordOperations, type RecordWork } from "./records.ts";
import { append, branch, create, findRecord, list, read, readBefore, remove, takeLease } from "./sessions.ts";

const DAY = 24 * 60 * 60_000;

/** What one host of a home in memory keeps to itself. */
export interface HostView {
  readonly home: HomeData;
  readonly me: HostFacts;
  readonly tell: (event: StoreEvent) => void;
  /** Watched sessions, and where they ended when this host last knew. */
  readonly watched: Map<string, string>;
  /** Commands that this host sent and waits for. */
  readonly sent: Set<string>;
  listening: boolean;
  appends: number;
}

type SessionWork = "create" | "append" | "read" | "readBefore" | "record" | "list" | "branch" | "remove";
type Upkeep = "foldSome" | "saveFold" | "purge" | "sweep" | "stats" | "claimBlob";

/** The operations on a home in memory. */
export const memoryOperations = (view: HostView): Operations => ({
  ...sessionOperations(view),
  ...hostOperations(view),
  ...recordOperations(view.home, view.me),
  ...upkeep(view),
});

function sessionOperations(view: HostView): Pick<Operations, SessionWork> {
  const { home, me } = view;
  return {
    create(request) {
      const made = create(home, request);
      know(view, request.id, made);
      return made;
    },
    append(order) {
      const answer = append(home, order, me);
      if (answer.status === "ok") view.appends += 1;
      know(view, order.session, answer.status === "ok");
      return answer;
    },
    read: (request) => read(home, request),
    readBefore: (request) => readBefore(home, request),
    record: ({ session }) => findRecord(home, session),
    list: (query) => list(home, query),
    branch(request) {
      const made = branch(home, request);
      know(view, request.id, made);
      return made;
    },
    remove(request) {
      const answer = remove(home, request, me);
      know(view, request.session, answer.removed);
      return answer;
    },
  };
}

function hostOperations(view: HostView): Omit<Operations, SessionWork | Upkeep | RecordWork> {
  const { home, me } = view;
  return {
    watch: ({ session }) => void view.watched.set(session, endOf(home, session)),
    unwatch: ({ session }) => void view.watched.delete(session),
    listen: () => void (view.listening = true),
    send(request) {
      const holder = sendCommand(home, request);
      if (holder !== undefined) view.sent.add(request.command.id);
      return holder;
    },
    answer: ({ results }) => answerCommands(home, results),
    answerer: ({ id }) => answererOf(home, id),
    withdraw(request) {
      const answer = withdraw(home, request);
      if (!answer.open) view.sent.delete(request.id);
      return answer;
    },
    beat({ now }) {
      sweepCommands(home, now);
      return beat(home, me.id);
    },
    hosts: () => listHosts(home),
    bury: ({ host }) => bury(home, host),
    takeOver({ session: id, from, beat }) {
      const session = home.sessions.get(id);
      if (session?.holder !== from || home.hostFacts(from).beat !== beat) return undefined;
      returnCommands(home, from, id);
      takeLease(home, session, me);
      return { fence: session.fence, reserved: session.reserved };
    },
    holder({ session: id }) {
      const session = home.sessions.get(id);
      return session && home.holderOf(session);
    },
    recordChild(child) {
      showHost(home, me);
      home.hosts.get(me.id)?.children.set(child.pid, child);
    },
    forgetChild: ({ pid }) => void home.hosts.get(me.id)?.children.delete(pid),
  };
}

function upkeep(view: HostView): Pick<Operations, Upkeep> {
  const { home, me } = view;
  return {
    // A state in memory is never stale, and what is removed is gone at once.
    foldSome: () => true,
    saveFold: () => undefined,
    purge: () => false,
    claimBlob({ hash, now }) {
      const claims = home.claims.get(hash) ?? new Map<string, { at: number; count: number }>();
      home.claims.set(hash, claims.set(me.id, { at: now, count: (claims.get(me.id)?.count ?? 0) + 1 }));
    },
    sweep({ now, shard }) {
      if (shard !== "00") return;
      sweepCommands(home, now);
      for (const claims of home.claims.values()) {
        for (const [host, { at }] of claims) if (at < now - DAY) claims.delete(host);
      }
    },
    stats: () => ({ appends: view.appends, commits: 0, syncs: 0 }),
  };
}

/** A host's own doings are no news to it. */
function know({ home, watched }: HostView, session: string, did: boolean): void {
  if (did && watched.has(session)) watched.set(session, endOf(home, session));
}

/** Tells a host what has changed in the home since it last looked. */
export function look({ home, me, tell, watched, sent, listening }: HostView): void {
  for (const [session, known] of watched) {
    const end = endOf(home, session);
    if (end === known) continue;
    watched.set(session, end);
    tell({ type: "moved", session });
  }
  for (const id of sent) if (isSettled(home, id)) tell({ type: "settled", id });
  if (!listening) return;
  for (const command of takeCommands(home, me.id)) tell({ type: "command", command });
}

function endOf(home: HomeData, id: string): string {
  const session = home.sessions.get(id);
  if (session === undefined) return "";
  return `${session.key} ${session.state.n} ${session.state.seq} ${session.pieces.at(-1)?.cursor}`;
}
