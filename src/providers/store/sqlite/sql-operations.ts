import type { StoreOperations } from "../operations.ts";
import { append } from "./append.ts";
import { claimBlob, namesBlob, sweep } from "./blobs.ts";
import { branchSession, createSession } from "./create-session.ts";
import { answerCommands, answererOf, sendCommand, sweepCommands, withdrawCommand } from "./commands.ts";
import type { ChangeWatcher } from "./change-watcher.ts";
import { readFeed } from "./feed.ts";
import { forgetHost, forgetChild, beat, listHosts, recordChild } from "./hosts.ts";
import { takeOver } from "./leases.ts";
import { readLog, readLogBefore } from "./log.ts";
import { recordOperations } from "./records.ts";
import { StateRebuilder } from "./state-rebuilder.ts";
import { purgeRemovedSession, removeSession } from "./remove-session.ts";
import { findHolder, findSessionEntry, findSessions } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

/** Makes the operations on a database. Those that change it run in a transaction that `Batch` opens. */
export function sqlOperations(context: OperationContext, watcher: ChangeWatcher): StoreOperations {
  const { database } = context;
  const rebuilder = new StateRebuilder(context);
  return {
    create(request) {
      const made = createSession(context, request);
      if (made) watcher.writes(request.id);
      return made;
    },
    append(request) {
      const answer = append(context, request);
      if (answer.status === "ok") watcher.writes(request.session);
      return answer;
    },
    branch(request) {
      const made = branchSession(context, request);
      if (made) watcher.writes(request.id);
      return made;
    },
    remove(request) {
      const answer = removeSession(context, request);
      if (answer.removed) watcher.writes(request.session);
      return answer;
    },
    purge: () => purgeRemovedSession(context),
    read: (request) => readLog(context, request),
    readBefore: (request) => readLogBefore(context, request),
    feed: (request) => readFeed(context, request),
    findSession: (request) => findSessionEntry(database, request),
    namesBlob: (request) => namesBlob(database, request),
    list: (query) => findSessions(database, query),
    rebuildState: ({ session }) => rebuilder.some(session),
    saveRebuiltState: ({ session }) => rebuilder.save(session),
    watch: ({ session }) => watcher.watch(session),
    unwatch: ({ session }) => watcher.unwatch(session),
    send(request) {
      context.onceCommitted(() => watcher.expect(request.command.id));
      return sendCommand(context, request);
    },
    listen: () => watcher.listen(),
    answer: ({ results }) => answerCommands(context, results),
    answerer: ({ id }) => answererOf(context, id),
    withdraw(request) {
      const answer = withdrawCommand(context, request);
      if (!answer.open) context.onceCommitted(() => watcher.forget(request.id));
      return answer;
    },
    ...hostOperations(context),
    ...recordOperations(context),
    claimBlob: (request) => claimBlob(context, request),
    sweep: (request) => sweep(context, request),
    stats: () => ({ appends: context.appends, commits: database.commits, syncs: database.syncs }),
  };
}

type HostWork = "beat" | "hosts" | "forgetHost" | "takeOver" | "holder" | "recordChild" | "forgetChild";

function hostOperations(context: OperationContext): Pick<StoreOperations, HostWork> {
  return {
    beat({ now }) {
      // A command that is past its deadline no longer keeps this host alive.
      sweepCommands(context.database, now);
      return beat(context);
    },
    hosts: () => listHosts(context),
    forgetHost: (request) => forgetHost(context, request),
    takeOver: (request) => takeOver(context, request),
    holder: ({ session }) => findHolder(context.database, session),
    recordChild: (child) => recordChild(context, child),
    forgetChild: ({ pid }) => forgetChild(context, pid),
  };
}
