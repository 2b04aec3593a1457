import type { IncomingMessage } from "node:http";
import { median, report } from "./figures.ts";
import { closeFloor, floorTurn } from "./floor.ts";
import { type BenchServer, closeLoad, firstText, send, startServer, textOf, usageOf } from "./http-load.ts";
import { startModelProcess } from "./model-process.ts";

/** The API server beside a bare Hono proxy before the same model: first text, requests a second, many streams. */
const CHAT = "/v1/chat/completions";
const hi = { model: "agent", messages: [{ role: "user", content: "hi" }] };

await using model = await startModelProcess(["--tokens", "1"]);
await using api = await startServer("http-server", model.baseUrl);
await using bare = await startServer("http-proxy", model.baseUrl);

const own: number[] = [];
const direct: number[] = [];
for (let index = 0; index < 300; index += 1) {
  direct.push((await floorTurn(model.baseUrl)).first);
  own.push(await firstText(api.url));
}
const added = median(own.slice(20)) - median(direct.slice(20));
report("prompt to first text over HTTP", median(own.slice(20)), {
  unit: "ms",
  floor: median(direct.slice(20)),
});
report("... added to the model's own", added, { unit: "ms" });

/** Requests a second with so many at a time, and requests for a second of the server's processor time. */
async function rate(
  server: BenchServer,
  seconds: number,
): Promise<{ readonly wall: number; readonly core: number }> {
  // What is idle since long may be closed by the server at any moment.
  closeLoad();
  const before = await usageOf(server.url);
  const started = performance.now();
  let done = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1000) {
      const answer = await send(`${server.url}${CHAT}`, hi);
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
      await textOf(answer);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  const took = (performance.now() - started) / 1000;
  const { cpu } = await usageOf(server.url);
  return { wall: done / took, core: done / (cpu - before.cpu) };
}

await rate(api, 2);
await rate(bare, 1);
const rates = await rate(api, 6);
const floors = await rate(bare, 4);
report("one-token chats a second", rates.wall, { unit: "/s", floor: floors.wall });
report("... for a second of a core", rates.core, { unit: "/s", floor: floors.core });

interface Readers {
  readonly runs: number;
  /** Readers that take what comes. */
  readonly good: number;
  /** Readers that take nothing. */
  readonly stalled: number;
}

async function startRun(server: BenchServer, model: string): Promise<string> {
  const answer = await send(`${server.url}/v1/runs`, { input: "go", model });
  return (JSON.parse(await textOf(answer)) as { run_id: string }).run_id;
}

const openRun = (server: BenchServer, run: string): Promise<IncomingMessage> =>
  send(`${server.url}/v1/runs/${run}/events`, undefined, true);

/** Waits until a server has nothing to do: its buffers to those who take nothing are full. */
async function quiet(server: BenchServer): Promise<void> {
  for (let before = -1; ;) {
    const { cpu } = await usageOf(server.url);
    if (before >= 0 && cpu - before < 0.1) return;
    before = cpu;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Reads runs that say the time: how old each word is when it comes. */
async function readRuns(
  server: BenchServer,
  { runs, good, stalled }: Readers,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const long = stalled === 0 ? "" : await startRun(server, "talks");
  const held = await Promise.all(Array.from({ length: stalled }, () => openRun(server, long)));
  await quiet(server);
  const started = await Promise.all(Array.from({ length: runs }, () => startRun(server, "ticks")));
  const ages: number[] = [];
  const from = Date.now() + 3000;
  const read = async (index: number): Promise<void> => {
    for await (const piece of (await openRun(server, started[index % runs] ?? "")).setEncoding("utf8")) {
      const said = Number(/"delta":"[^"]*?(\d{13}) "/.exec(String(piece))?.[1]);
      // What was said before all readers were there is no measure of how fast it gets here.
      if (said > from) ages.push(Date.now() - said);
    }
  };
  await Promise.all(Array.from({ length: good }, (_, index) => read(index)));
  for (const answer of held) answer.destroy();
  ages.sort((a, b) => a - b);
  const at = (share: number): number => ages[Math.floor(ages.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

await using fresh = await startServer("http-server", model.baseUrl);
await readRuns(fresh, { runs: 5, good: 10, stalled: 0 });
const alone = await readRuns(fresh, { runs: 10, good: 50, stalled: 0 });
const beside = await readRuns(fresh, { runs: 10, good: 50, stalled: 2000 });
report("50 readers beside 2,000 stalled ones, p99", beside.p99, { unit: "ms", floor: alone.p99 });
await using calm = await startServer("http-server", model.baseUrl);
const many = await readRuns(calm, { runs: 10, good: 1000, stalled: 0 });
report("1,000 streams of 20 deltas a second, p50", many.p50, { unit: "ms" });
report("... p99", many.p99, { unit: "ms" });
report("... RSS of the server after it", (await usageOf(calm.url)).rss / 1e6, { unit: "MB" });
closeFloor();
closeLoad();
