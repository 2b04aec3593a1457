import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import {
  type DurableEvent,
  EMPTY_STATE,
  encodeRow,
  fold,
  NO_USAGE,
  openHost,
  type TextQuery,
  type SessionState,
  type StoredRow,
  systemClock,
} from "agent-host";
import { configuredModels, parseModelsConfig } from "agent-host/models";
import { type HomeStore, readIdentity, sqliteStore, type StartSearchThread } from "agent-host/store";
import { timedTurn } from "./bench-host.ts";
import { median, percentile, report } from "./figures.ts";
import { startModelProcess } from "./model-process.ts";

/**
 * Search over a home of many messages: how long each kind takes, what the index costs on disk and to build, and what a turn
 * costs beside it. `npx node bench/search.ts --rows 1000000`; `--home <folder>` keeps the home, so that another run goes on
 * where one was stopped, and `--turns 0` leaves the turns out.
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    turns: { type: "string", default: "8000" },
    home: { type: "string" },
  },
});
const ROWS = Number(values.rows);
const TURNS = Number(values.turns);
const PER_SESSION = 100;
const VOCABULARY = 80_000;
const YEAR = 365 * 24 * 60 * 60_000;
const START = Date.UTC(2026, 0, 1) - YEAR;

let seed = 1;
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

const SYLLABLES =
  "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo".split(
    " ",
  );
const HAN =
  "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实";

/** The word of a rank: the more frequent, the shorter. */
function wordOf(rank: number): string {
  let word = "";
  for (let rest = rank + 40; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** As often as words of a language come: the second half as often as the first, the third a third as often. */
const anyWord = (): string => wordOf(Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1);

function anyText(words: number): string {
  if (random() < 0.02)
    return Array.from({ length: words * 2 }, () => HAN[Math.floor(random() ** 2 * HAN.length)]).join("");
  return Array.from({ length: words }, anyWord).join(" ");
}

let textBytes = 0;

function eventsOf(turn: number): readonly DurableEvent[] {
  const turnId = `turn_${turn}`;
  const [asked, answered] = [
    anyText(10 + Math.floor(random() * 40)),
    anyText(20 + Math.floor(random() * 100)),
  ];
  textBytes += Buffer.byteLength(asked) + Buffer.byteLength(answered);
  const prompt = {
    id: `p${turn}`,
    parts: [{ type: "text", text: asked }],
    from: { surface: "bench" },
    questions: { mode: "ask" },
  } as const;
  const segments = [{ kind: "text", cursor: 0, text: answered }] as const;
  const reply = { calls: [], finish: "stop", usage: NO_USAGE, provider: "p", model: "m" } as const;
  return [
    { type: "turn.start", turnId, prompt },
    { type: "reply.complete", turnId, segments, ...reply },
    { type: "turn.end", turnId, outcome: "completed", usage: NO_USAGE },
  ];
}

/** A session of so many messages, with times in the order of all sessions. */
function sessionOf(number: number): { readonly rows: readonly StoredRow[]; readonly state: SessionState } {
  let state = EMPTY_STATE;
  let at = START + Math.floor((number / (ROWS / PER_SESSION)) * YEAR);
  const start: DurableEvent = {
    type: "session.start",
    platform: "library",
    source: "bench",
    cwd: "/work",
    roots: [],
  };
  const turns = Array.from({ length: PER_SESSION / 2 }, (_, turn) => eventsOf(turn)).flat();
  const rows = [start, ...turns].map((event) => {
    at += 20_000;
    const row = { n: state.n + 1, seq: state.seq + 1, at, event };
    state = fold(state, row);
    return encodeRow(row, false);
  });
  return { rows, state };
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

async function fill(store: HomeStore): Promise<void> {
  for (let number = 0; number < ROWS / PER_SESSION;) {
    const some: Promise<boolean>[] = [];
    for (; some.length < 20 && number < ROWS / PER_SESSION; number += 1) {
      const { rows, state } = sessionOf(number);
      some.push(store.create(`session_${number}`, rows, state));
    }
    await Promise.all(some);
  }
}

const open = (home: string, startSearchThread?: StartSearchThread): Promise<HomeStore> =>
  sqliteStore({ home, identity: readIdentity(process.pid), ...(startSearchThread && { startSearchThread }) });

/** Searches as people make them. The words differ each time, as far as their kind allows. */
const KINDS: Readonly<Record<string, (nth: number) => string>> = {
  "a rare word": (nth) => `${wordOf(40_000 + nth * 37)} `,
  "a common word": (nth) => `${wordOf(nth % 5)} `,
  "three words": (nth) => `${wordOf(20 + nth)} ${wordOf(300 + nth)} ${wordOf(900 + nth)} `,
  "two common words": (nth) => `${wordOf(nth % 7)} ${wordOf(7 + (nth % 9))} `,
  "a phrase": (nth) => `"${wordOf(nth % 10)} ${wordOf(nth % 13)}"`,
  "a rare phrase": (nth) => `"${wordOf(100 + nth)} ${wordOf(200 + nth)}"`,
  "a beginning of 2 letters": (nth) => SYLLABLES[nth % SYLLABLES.length] ?? "",
  "a beginning of 4 letters": (nth) => wordOf(40 + nth * 11).slice(0, 4),
  "two Chinese characters": (nth) => `${HAN[nth % 40]}${HAN[(nth * 7) % 60]}`,
  "one Chinese character": (nth) => HAN[nth % HAN.length] ?? "",
  "a word that nobody said": (nth) => `zzz${nth}q `,
};

async function searches(store: HomeStore): Promise<void> {
  const all: number[] = [];
  const run = async (query: TextQuery): Promise<number> => {
    const began = performance.now();
    await store.search(query);
    return performance.now() - began;
  };
  for (const kind of Object.values(KINDS)) await run({ words: kind(0), limit: 20 });
  for (const [name, kind] of Object.entries(KINDS)) {
    const times: number[] = [];
    for (let nth = 1; nth <= 100; nth += 1) times.push(await run({ words: kind(nth), limit: 20 }));
    all.push(...times);
    report(`${name}, p50`, median(times), { unit: "ms" });
    report(`${name}, p99`, percentile(times, 0.99), { unit: "ms", goal: { value: 50 } });
  }
  report("all searches, p50", median(all), { unit: "ms" });
  report("all searches, p99", percentile(all, 0.99), { unit: "ms", goal: { value: 50 } });
}

/** The usage of all turns there are, by the day as the dashboard shows it: as if a year's turns were those of a month. */
async function usageReports(store: HomeStore): Promise<void> {
  const bounds = Array.from({ length: 31 }, (_, day) => START + (day / 30) * YEAR * 1.01);
  const times: number[] = [];
  let turns = 0;
  for (let nth = 0; nth < 20; nth += 1) {
    const began = performance.now();
    ({ turns } = (await store.usage({ bounds })).total);
    times.push(performance.now() - began);
  }
  report(`usage of ${turns} turns in 30 days, p50`, median(times), { unit: "ms" });
  report(`usage of ${turns} turns in 30 days, p99`, percentile(times, 0.99), { unit: "ms" });
}

/** A thread that keeps no index. */
const noIndex: StartSearchThread = () =>
  new Worker(
    `const { parentPort } = require("node:worker_threads");
     parentPort.on("message", (message) => message === "close" ? parentPort.close() : parentPort.postMessage({ id: message.id, value: true }));`,
    { eval: true },
  );

/** A thread that follows the logs only while its gate is open: until then it says that it has done a little. */
class GatedThread {
  #isOpen = true;

  readonly start: StartSearchThread = (data) => {
    const file = new URL("./search-worker.js", import.meta.resolve("agent-host"));
    const worker = new Worker(file, { workerData: data });
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: "close" | { readonly id: number }) => {
      if (this.#isOpen || message === "close") post(message);
      else setImmediate(() => worker.emit("message", { id: message.id, value: false }));
    };
    return worker;
  };

  gate(isOpen: boolean): void {
    this.#isOpen = isOpen;
  }
}

/** Turns of a block: some seconds with the index, then as long without it, so that both see the same machine. */
const BLOCK = 1000;

/** What turns cost beside a thread that follows them with the index, against the same turns while it stands still. */
async function turnCost(name: string, home: string): Promise<void> {
  if (TURNS === 0) return;
  await using model = await startModelProcess(["--tokens", "30"]);
  const thread = new GatedThread();
  await using store = await open(home, thread.start);
  const block = {
    provider: "local",
    base_url: model.baseUrl,
    default: "test-model",
    context_length: 100_000_000,
  };
  const models = configuredModels(parseModelsConfig(block), { env: {}, clock: systemClock });
  await using host = await openHost({ store, models, toolsets: [] });
  // The index is followed from then on.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  const times = { with: [] as number[], without: [] as number[] };
  const blocks = { with: [] as number[], without: [] as number[] };
  for (let done = 0; done < TURNS; done += BLOCK) {
    for (const kind of ["with", "without"] as const) {
      thread.gate(kind === "with");
      const session = await host.open({ cwd: home });
      for (let turn = 0; turn < 10; turn += 1) await timedTurn(session);
      const some: number[] = [];
      for (let turn = 0; turn < BLOCK; turn += 1) some.push((await timedTurn(session)).total);
      times[kind].push(...some);
      blocks[kind].push(some.reduce((sum, each) => sum + each, 0) / BLOCK);
    }
  }
  thread.gate(true);
  report(`turn, ${name}, mean`, median(blocks.with), {
    unit: "ms",
    floor: median(blocks.without),
    goal: { ratio: 1.05 },
  });
  report(`turn, ${name}, p50`, median(times.with), {
    unit: "ms",
    floor: median(times.without),
    goal: { ratio: 1.05 },
  });
}

const home = values.home ?? mkdtempSync(join(tmpdir(), "agent-bench-search-"));
const file = join(home, "search-3.db");
try {
  if (!existsSync(join(home, "filled"))) {
    await using store = await open(home, noIndex);
    await fill(store);
    writeFileSync(join(home, "filled"), String(textBytes));
  }
  const isNew = !existsSync(file);
  if (isNew) await turnCost("while the index is built", home);
  {
    await using store = await open(home);
    const [began, before] = [performance.now(), sizeOf(file)];
    await store.completeIndex();
    const seconds = (performance.now() - began) / 1000;
    report(`building the rest of the index, after ${Math.round(before / 1e6)} MB of it`, seconds, {
      unit: "s",
    });
    await searches(store);
    await usageReports(store);
  }
  const bytes = Number(readFileSync(join(home, "filled"), "utf8"));
  report(`bytes of index a byte of text, of ${Math.round(bytes / 1e6)} MB`, sizeOf(file) / bytes, {
    unit: "bytes",
  });
  await turnCost("with a whole index that follows it", home);
} finally {
  if (values.home === undefined) rmSync(home, { recursive: true });
}
