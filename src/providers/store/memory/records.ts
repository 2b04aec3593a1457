import type { RecordDraft } from "../../../core/index.ts";
import { type HostFacts, meets, type Operations, type RecordEntry } from "../operations.ts";
import type { HomeData, MemoryRecord } from "./home.ts";
import { showHost } from "./hosts.ts";

export type RecordWork = Extract<keyof Operations, `${string}Record` | `${string}Records`>;
type Request<K extends RecordWork> = Parameters<Operations[K]>[0];

export function recordOperations(home: HomeData, me: HostFacts): Pick<Operations, RecordWork> {
  return {
    readRecord(request) {
      const record = find(home, request);
      return record && entryOf(home, record);
    },
    writeRecord: (request) => write(home, request, me),
    removeRecord(request) {
      const record = find(home, request);
      const isThat = request.version === undefined || request.version === record?.version;
      return record !== undefined && isThat && home.records.delete(placeOf(record.draft));
    },
    listRecords: (request) => list(home, request),
    renewRecord({ expiresAt, ...request }) {
      const record = find(home, request);
      if (record !== undefined) record.draft = { ...record.draft, expiresAt };
      return record !== undefined;
    },
    trimRecords: ({ space, keep }) => trim(home, space, keep),
    claimRecords: (request) => claim(home, request, me),
    expireRecords({ now }) {
      for (const [place, record] of home.records) if (!isAlive(record, now)) home.records.delete(place);
      return false;
    },
  };
}

const placeOf = ({ space, key }: Pick<RecordDraft, "space" | "key">): string => JSON.stringify([space, key]);

const isAlive = ({ draft: { expiresAt } }: MemoryRecord, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

function find(home: HomeData, request: Request<"readRecord">): MemoryRecord | undefined {
  const record = home.records.get(placeOf(request));
  return record !== undefined && isAlive(record, request.now) ? record : undefined;
}

function entryOf(home: HomeData, { draft, version, position, claim }: MemoryRecord): RecordEntry {
  const { claim: _wanted, ...rest } = draft;
  const host = claim === undefined ? {} : { claim: home.hostFacts(claim) };
  return { ...rest, version, position, ...host };
}

function write(
  home: HomeData,
  { draft, condition, now }: Request<"writeRecord">,
  me: HostFacts,
): ReturnType<Operations["writeRecord"]> {
  const current = find(home, { space: draft.space, key: draft.key, now });
  const unwritten: MemoryRecord = { draft, version: 0, position: 0, claim: undefined };
  if (!meets(condition, current?.version))
    return { written: false, entry: entryOf(home, current ?? unwritten) };
  if (draft.claim === true) showHost(home, me);
  const record: MemoryRecord = {
    draft,
    version: (current?.version ?? 0) + 1,
    position: current?.position ?? home.nextNumber(),
    claim: draft.claim === true ? me.id : undefined,
  };
  home.records.set(placeOf(draft), record);
  return { written: true, entry: entryOf(home, isAlive(record, now) ? record : unwritten) };
}

function list(home: HomeData, query: Request<"listRecords">): readonly RecordEntry[] {
  const { space, parent, prefix = "", newestFirst = false, after, limit, now } = query;
  const found = [...home.records.values()].filter(
    (record) =>
      record.draft.space === space &&
      isAlive(record, now) &&
      (parent === undefined || record.draft.parent === parent) &&
      record.draft.key.startsWith(prefix) &&
      (after === undefined || (newestFirst ? record.position < after : record.position > after)),
  );
  const sign = newestFirst ? -1 : 1;
  return found
    .sort((a, b) => sign * (a.position - b.position))
    .slice(0, limit)
    .map((record) => entryOf(home, record));
}

function trim(home: HomeData, space: string, keep: number): number {
  const all = [...home.records.values()].filter(({ draft }) => draft.space === space);
  const excess = Math.max(0, all.length - keep);
  const oldest = all
    .filter(({ draft }) => draft.expiresAt !== undefined)
    .sort((a, b) => (a.draft.expiresAt ?? 0) - (b.draft.expiresAt ?? 0))
    .slice(0, excess);
  for (const { draft } of oldest) home.records.delete(placeOf(draft));
  return oldest.length;
}

function claim(
  home: HomeData,
  { space, limit, now, dead }: Request<"claimRecords">,
  me: HostFacts,
): ReturnType<Operations["claimRecords"]> {
  const due = [...home.records.values()]
    .filter((record) => record.draft.space === space && isAlive(record, now))
    .filter(({ draft }) => draft.dueAt !== undefined && draft.dueAt <= now)
    .sort((a, b) => (a.draft.dueAt ?? 0) - (b.draft.dueAt ?? 0) || a.position - b.position);
  const free = due
    .filter((record) => record.claim === undefined || dead.includes(record.claim))
    .slice(0, limit);
  if (free.length > 0) showHost(home, me);
  for (const record of free) record.claim = me.id;
  const holders = new Set(due.flatMap((record) => record.claim ?? []));
  for (const host of [me.id, ...dead]) holders.delete(host);
  return {
    entries: free.map((record) => entryOf(home, record)),
    holders: [...holders].map((host) => home.hostFacts(host)),
  };
}
