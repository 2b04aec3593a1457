import type { Operations } from "../operations.ts";
import { append } from "./append.ts";
import { claimBlob } from "./blobs.ts";
import { branch, create } from "./create-session.ts";
import { answerCommands, answererOf, sendCommand, withdraw } from "./commands.ts";
import type { Follow } from "./change-watcher.ts";
import { bury, forgetChild, heartbeat, listHosts, recordChild } from "./hosts.ts";
import { takeOver } from "./leases.ts";
import { read, readBefore } from "./log.ts";
import { recordOperations } from "./records.ts";
import { Refold } from "./state-rebuilder.ts";
import { purge, remove } from "./remove-session.ts";
import { findHolder, findRecord, listSessions } from "./sessions.ts";
import type { Site } from "./operation-context.ts";
import { sweep } from "./sweep.ts";

/** The operations on a database. What changes it runs in a transaction that `Batch` opens. */
export function sqlOperations(site: Site, follow: Follow): Operations {
  const { database } = site;
  const refold = new Refold(site);
  const wrote = (session: string, did: boolean): void => {
    if (did) site.onceCommitted(() => follow.wrote(session));
  };
  return {
    create(request) {
      const made = create(site, request);
      wrote(request.id, made);
      return made;
    },
    append(order) {
      const answer = append(site, order);
      wrote(order.session, answer.status === "ok");
      return answer;
    },
    branch(request) {
      const made = branch(site, request);
      wrote(request.id, made);
      return made;
    },
    remove(request) {
      const answer = remove(site, request);
      wrote(request.session, answer.removed);
      return answer;
    },
    purge: () => purge(site),
    read: (request) => read(site, request),
    readBefore: (request) => readBefore(site, request),
    record: ({ session }) => findRecord(database, session),
    list: (query) => listSessions(database, query),
    foldSome: ({ session }) => refold.some(session),
    saveFold: ({ session }) => refold.save(session),
    watch: ({ session }) => follow.watch(session),
    unwatch: ({ session }) => follow.unwatch(session),
    send(request) {
      site.onceCommitted(() => follow.expect(request.command.id));
      return sendCommand(site, request);
    },
    listen: () => follow.listen(),
    answer: ({ results }) => answerCommands(site, results),
    answerer: ({ id }) => answererOf(site, id),
    withdraw(request) {
      const answer = withdraw(site, request);
      if (!answer.open) site.onceCommitted(() => follow.forget(request.id));
      return answer;
    },
    ...hostOperations(site),
    ...recordOperations(site),
    claimBlob: (request) => claimBlob(site, request),
    sweep: (request) => sweep(site, request),
    stats: () => ({ appends: site.appends, commits: database.commits, syncs: database.syncs }),
  };
}

type HostWork = "beat" | "hosts" | "bury" | "takeOver" | "holder" | "recordChild" | "forgetChild";

function hostOperations(site: Site): Pick<Operations, HostWork> {
  return {
    beat: ({ now }) => heartbeat(site, now),
    hosts: () => listHosts(site),
    bury: ({ host }) => bury(site, host),
    takeOver: (request) => takeOver(site, request),
    holder: ({ session }) => findHolder(site.database, session),
    recordChild: (child) => recordChild(site, child),
    forgetChild: ({ pid }) => forgetChild(site, pid),
  };
}
