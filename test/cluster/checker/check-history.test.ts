import { beforeAll, expect, test } from "vitest";
import type { Resolution } from "../../../src/core/index.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { random } from "../../kit/counts.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, toolsOf, until } from "../../kit/test-host.ts";
import { finalLogs } from "../history/final-logs.ts";
import type { History, HistoryEntry } from "../history/history.ts";
import { RecordedClient } from "../history/recorded-client.ts";
import { recordingStore } from "../history/recorder.ts";
import { checkHistory } from "./check-history.ts";
import { type FaultKind, printFaults } from "./fault.ts";

let healthy: History;

beforeAll(async () => {
  healthy = await record();
});

/** Two hosts on one home: one asks a question, the other one answers it; each has a turn, and a reader reads at both. */
async function record(): Promise<History> {
  const entries: HistoryEntry[] = [];
  let time = 0;
  const recorder = { now: () => (time += 1), add: (entry: HistoryEntry) => void entries.push(entry) };
  const home = memoryHome();
  const open = async (salt: number) => {
    const store = recordingStore(home.open({ random: random(salt) }), recorder);
    const toolsets = toolsOf(askingTool({ kind: "clarify", question: "Which?", choices: [] }, []));
    const replies = [
      [say("Well, "), callTool("ask", {}, `c${salt}`)],
      [say("it is "), say("done")],
    ];
    const host = await hostWith(scriptedModel(...replies), { store, toolsets, keepLeaseMs: 0 });
    return { store, host, client: new RecordedClient(recorder, store.hostId) };
  };
  const a = await open(1);
  const b = await open(2);
  const session = await a.host.open();
  for (const [asks, answers] of [
    [a, b],
    [b, a],
  ] as const) {
    const reader = `reader at ${asks === a ? "a" : "b"}`;
    const life = new AbortController();
    const elsewhere = await answers.host.session(session.id);
    const own = await asks.host.session(session.id);
    const before = elsewhere.cursor;
    const reading = answers.client.read(elsewhere, {
      reader,
      after: before,
      signal: life.signal,
      shown: ({ type }) => type === "turn.end" && life.abort(),
    });
    const turn = asks.client.submit(own, { id: `prompt ${reader}`, text: "Go" });
    const { requestId, callId } = await until(elsewhere.events({ after: before }), "clarify.request");
    recorder.add({
      type: "effect",
      host: asks.store.hostId,
      session: session.id,
      callId,
      part: "begin",
      at: recorder.now(),
    });
    await answers.client.answer(elsewhere, requestId, { text: "this one" });
    await Promise.all([turn, reading]);
  }
  await a.host.idle();
  await b.host.idle();
  const logs = await finalLogs(a.store, [session.id]);
  for (const { host, store } of [a, b]) {
    await host.close();
    await store[Symbol.asyncDispose]();
  }
  return { entries, logs, waiting: [], defects: [] };
}

test("a history in which nothing went wrong has no faults", () => {
  expect(printFaults(checkHistory(healthy))).toBe("nothing wrong");
  const kinds = Map.groupBy(healthy.entries, ({ type }) => type);
  for (const type of ["append", "read", "prompt", "result", "answer", "effect"] as const)
    expect(kinds.get(type)?.length).toBeGreaterThan(0);
});

type Entry<Type extends HistoryEntry["type"]> = Extract<HistoryEntry, { type: Type }>;

/** The history with the last entry of a type changed, or with what stands in its place. */
function change<Type extends HistoryEntry["type"]>(
  type: Type,
  to: (entry: Entry<Type>) => readonly HistoryEntry[],
  where: (entry: Entry<Type>) => boolean = () => true,
): History {
  const isOne = (entry: HistoryEntry): entry is Entry<Type> =>
    entry.type === type && where(entry as Entry<Type>);
  const index = healthy.entries.findLastIndex(isOne);
  const entry = healthy.entries[index];
  if (entry === undefined || !isOne(entry)) throw new Error(`there is no ${type} to change`);
  return { ...healthy, entries: healthy.entries.toSpliced(index, 1, ...to(entry)) };
}

/** The history with the events of its log changed; an event that becomes none leaves its row out. */
function rewrite(to: (event: { readonly type: string }) => readonly object[]): History {
  const logs = healthy.logs.map(({ session, rows }) => ({
    session,
    rows: rows.flatMap((row) =>
      to(JSON.parse(row.body) as { type: string }).map((event) => ({ ...row, body: JSON.stringify(event) })),
    ),
  }));
  return { ...healthy, logs };
}

const without = (type: string): History => rewrite((event) => (event.type === type ? [] : [event]));
const twice = (type: string): History => rewrite((event) => (event.type === type ? [event, event] : [event]));
const hasRows = ({ rows }: Entry<"append">): boolean => rows.length > 0;
const other: Resolution = { outcome: "expired" };

const PLANTED: Readonly<Record<string, readonly [FaultKind, () => History]>> = {
  "an append under an older fence after a newer one": [
    "two writers",
    () =>
      change(
        "append",
        (entry) => [{ ...entry, fence: 1, granted: 1 }],
        (entry) => hasRows(entry) && (entry.granted ?? 0) > 1,
      ),
  ],
  "a fence that two hosts have": [
    "two writers",
    () =>
      change(
        "append",
        (entry) => [entry, { ...entry, host: "host_other", rows: [] }],
        ({ granted }) => granted !== undefined,
      ),
  ],
  "a row that two appends were acknowledged for": [
    "two writers",
    () => change("append", (entry) => [entry, { ...entry, host: "host_other" }], hasRows),
  ],
  "a takeover whose old owner went on": [
    "two writers",
    () =>
      change(
        "append",
        (entry) => [
          {
            type: "takeover",
            host: "host_other",
            session: entry.session,
            fence: 99,
            from: entry.from - 0.5,
            to: entry.from - 0.4,
          },
          entry,
        ],
        ({ fence }) => fence !== undefined,
      ),
  ],
  "an acknowledged row that is gone": [
    "lost",
    () => ({ ...healthy, logs: healthy.logs.map((log) => ({ ...log, rows: log.rows.slice(0, -1) })) }),
  ],
  "an acknowledged row that was changed": ["lost", () => rewrite((event) => [{ ...event, more: 1 }])],
  "a session that is gone": ["lost", () => ({ ...healthy, logs: [] })],
  "shown text that no row has": [
    "lost",
    () => rewrite((event) => [event.type === "reply.complete" ? { ...event, segments: [] } : event]),
  ],
  "a cursor with another character": [
    "two meanings",
    () =>
      change(
        "read",
        (entry) => [
          {
            ...entry,
            events: entry.events.map((each) =>
              "text" in each ? { ...each, text: each.text.toUpperCase() } : each,
            ),
          },
        ],
        ({ events }) => events.some((event) => "text" in event),
      ),
  ],
  "a row that was another one for a reader": [
    "two meanings",
    () =>
      change(
        "read",
        (entry) => [
          { ...entry, events: entry.events.map((each) => ("row" in each ? { ...each, sum: 7 } : each)) },
        ],
        ({ events }) => events.some((event) => "row" in event),
      ),
  ],
  "an event that a reader got twice": ["two meanings", () => change("read", (entry) => [entry, entry])],
  "an event that a reader did not get": [
    "not shown",
    () =>
      change(
        "read",
        () => [],
        ({ events }) => events.some((event) => "row" in event && event.row === "clarify.resolved"),
      ),
  ],
  "a prompt that was never answered": [
    "prompt",
    () => change("prompt", (entry) => [entry, { ...entry, promptId: "another" }]),
  ],
  "a prompt that ran twice": ["prompt", () => twice("turn.start")],
  "a prompt of nobody": [
    "prompt",
    () => ({ ...healthy, entries: healthy.entries.filter(({ type }) => type !== "prompt") }),
  ],
  "a refused prompt that ran": [
    "prompt",
    () => change("prompt", (entry) => [{ ...entry, answered: "refused" }]),
  ],
  "a sender that was told another end": [
    "prompt",
    () => change("result", (entry) => [{ ...entry, outcome: "failed" }]),
  ],
  "a sender that was told another text": [
    "prompt",
    () => change("result", (entry) => [{ ...entry, text: "no" }]),
  ],
  "a question that was resolved twice": ["question", () => twice("clarify.resolved")],
  "an answer that is not the one in the log": [
    "question",
    () => change("answer", (entry) => [{ ...entry, resolution: other }]),
  ],
  "a question that is open": ["stuck", () => without("clarify.resolved")],
  "a turn in a turn": ["misordered", () => twice("turn.start")],
  "a row out of place": [
    "misordered",
    () => ({
      ...healthy,
      logs: healthy.logs.map(({ session, rows }) => ({ session, rows: rows.toReversed() })),
    }),
  ],
  "a call that ended twice": ["misordered", () => twice("tool.complete")],
  "a call that ran twice": ["acted", () => change("effect", (entry) => [entry, entry])],
  "a call of a host that was replaced": [
    "acted",
    () =>
      change("effect", (entry) => [
        {
          type: "takeover",
          host: "host_other",
          session: entry.session,
          fence: 99,
          from: entry.at - 0.5,
          to: entry.at - 0.4,
        },
        entry,
      ]),
  ],
  "a turn without an end": ["stuck", () => without("turn.end")],
  "a defect that a host reported": ["defect", () => ({ ...healthy, defects: ["a bug"] })],
  "somebody who waits for ever": ["stuck", () => ({ ...healthy, waiting: ["reader 1"] })],
};

test.each(Object.entries(PLANTED))("%s is found", (_name, [kind, plant]) => {
  expect(checkHistory(plant()).map((fault) => fault.kind)).toContain(kind);
});
