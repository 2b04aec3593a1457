import { postgresStore } from "../../src/providers/store/postgres/postgres-store.ts";
import { type HomeStore, readIdentity } from "../../src/providers/store/index.ts";
import { logPen, sessionStart, titleSet } from "../../test/kit/log-pen.ts";
import { median, percentile } from "../figures.ts";
import { bareTurns } from "./bare-rates.ts";
import { type Line, ms, type Row } from "./row.ts";

const WRITERS = [1, 8, 64];
/** The size of the state that goes with each append. */
const STATE_BYTES = 4_000;
const WARM_UP_MS = 1_000;

/** The same bytes for a bare program: three rows and a state. */
const BARE = {
  appends: [Array.from({ length: 3 }, () => ({ type: "title.set", body: "x".repeat(80) }))],
  state: "x".repeat(STATE_BYTES),
};

/** The latency of one append of three rows with its state, straight at the store. */
export const appends: Row = async ({ database, size: { seconds } }) => {
  const store = await postgresStore({ url: await database(), identity: readIdentity(process.pid) });
  try {
    const lines: Line[] = [];
    for (const writers of WRITERS) {
      const forMs = seconds * 500;
      await appending(store, writers, WARM_UP_MS);
      const took = await appending(store, writers, forMs);
      const bare = await bareTurns(await database(), BARE, { sessions: writers, forMs });
      const words = (all: readonly number[]): string =>
        `${ms(median(all))}, ${ms(percentile(all, 0.99))}, ${((1000 * all.length) / forMs).toFixed(0)} /s`;
      const what = `one append at ${writers} writers: p50, p99, rate`;
      lines.push({ what, measured: words(took) });
      lines.push({ what: "… by a bare Node program with pg", measured: words(bare) });
    }
    return lines;
  } finally {
    await store[Symbol.asyncDispose]();
  }
};

/** Has so many sessions append at the same time; gives the milliseconds of each append. */
async function appending(store: HomeStore, writers: number, forMs: number): Promise<readonly number[]> {
  const took: number[] = [];
  const end = performance.now() + forMs;
  const write = async (writer: number): Promise<void> => {
    const session = `appends-${writers}-${forMs}-${writer}`;
    const pen = logPen(() => Date.now());
    const start = sessionStart({ roots: [`/work/${"x".repeat(STATE_BYTES)}`] });
    await store.create(session, pen.rows([start]), pen.state);
    let fence: number | undefined;
    while (performance.now() < end) {
      const titles = Array.from({ length: 3 }, (_, place) =>
        titleSet(`a title of a session, number ${place}`),
      );
      const started = performance.now();
      const result = await store.append(pen.append(session, titles, { fence }));
      took.push(performance.now() - started);
      if (result.status !== "ok") throw new Error(`An append ended with ${result.status}.`);
      fence = result.fence;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return took;
}
