import { crc32 } from "node:zlib";
import type { LiveEvent, SessionEvent, Store, StoredRow } from "../../../src/core/index.ts";
import type { Answered, HistoryEntry, RowMark, SeenEvent, TextMark } from "./history.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";

/** A keeper of history: what it is told is kept in order. */
export interface Recorder {
  /** A time that all hosts share, and that never stands still or goes back. */
  now(): number;
  add(entry: HistoryEntry): void;
}

/** A store that does what another one does, and records what it answered. */
export function recordingStore<S extends Store>(store: S, recorder: Recorder, host = store.hostId): S {
  const recorded: Pick<Store, "append" | "create" | "takeOver"> = {
    append: async (request) => {
      const { session, fence } = request;
      const base = {
        type: "append",
        host,
        session,
        ...(fence === undefined ? {} : { fence }),
        rows: request.rows.map(rowMark),
        pieces: request.pieces.map(textMark),
        from: recorder.now(),
      } as const;
      try {
        const result = await store.append(request);
        const granted = result.status === "ok" && result.fence !== undefined ? { granted: result.fence } : {};
        recorder.add({ ...base, ...granted, status: result.status, to: recorder.now() });
        return result;
      } catch (thrown) {
        recorder.add({ ...base, status: "failed", to: recorder.now() });
        throw thrown;
      }
    },
    create: async (session, rows, state) => {
      const from = recorder.now();
      const made = await store.create(session, rows, state);
      const status = made ? "ok" : "exists";
      const to = recorder.now();
      recorder.add({ type: "append", host, session, rows: rows.map(rowMark), pieces: [], status, from, to });
      return made;
    },
    takeOver: async (session, dead) => {
      const from = recorder.now();
      const lease = await store.takeOver(session, dead);
      if (lease !== undefined)
        recorder.add({ type: "takeover", host, session, fence: lease.fence, from, to: recorder.now() });
      return lease;
    },
  };
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(recorded, name)) return Reflect.get(recorded, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** A row in a history. */
export const rowMark = (row: StoredRow): RowMark => ({
  n: row.n,
  seq: row.seq,
  type: row.type,
  sum: crc32(`${row.n} ${row.seq} ${row.at} ${row.type} ${row.mid ? 1 : 0}\n${row.body}`),
});

const textMark = ({ cursor, kind, text }: TextMark): TextMark => ({ cursor, kind, text });

/** An event in a history; `undefined` for one that is in no log. */
export function seenEvent(event: SessionEvent): SeenEvent | undefined {
  if (LIVE.has(event.type)) return undefined;
  switch (event.type) {
    case "message.delta":
      return { seq: event.seq, kind: "text", text: event.text };
    case "reasoning.delta":
      return { seq: event.seq, kind: "reasoning", text: event.text };
    case "message.complete": {
      const { seq, at: _at, text, ...rest } = event;
      return { seq, row: event.type, sum: eventSum(rest), answer: text };
    }
    default: {
      const { seq, at: _at, ...rest } = event;
      return { seq, row: event.type, sum: eventSum(rest) };
    }
  }
}

const LIVE: ReadonlySet<string> = new Set<LiveEvent["type"]>([
  "tool.generating",
  "tool.progress",
  "status.update",
  "subagent.spawn_requested",
  "subagent.thinking",
  "subagent.progress",
  "subagent.tool",
]);

/** A checksum of an event as a reader gets it, without its place. */
export const eventSum = (event: object): number => crc32(JSON.stringify(event));

/** Codes of errors after which something may have been done all the same. */
const UNCERTAIN = new Set([
  "store_unavailable",
  "session_unreachable",
  "lease_lost",
  "draining",
  "timeout",
  "internal",
]);

/** What a thrown error says about what was asked for. */
export const answeredBy = (thrown: unknown): Answered =>
  thrown instanceof HostError && !UNCERTAIN.has(thrown.code) ? "refused" : "unknown";
