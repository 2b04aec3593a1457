import { parseArgs } from "node:util";
import type { Model, Models } from "agent-host";
import { API_DEFAULTS, apiServer } from "agent-host/http";
import { configuredModels, parseModelsConfig } from "agent-host/models";
import { systemClock } from "agent-host";
import { benchHost } from "./bench-host.ts";
import { BENCH_KEY } from "./http-load.ts";

/** An API server on a durable log, in a process of its own; ends with its standard input. */
const { values } = parseArgs({ options: { model: { type: "string", default: "" } } });
const { model: baseUrl } = values;

/** Says what time it is, 20 times a second, so that readers know how old a word is. */
const TICKS = 200;
const ticking: Model = {
  provider: "bench",
  name: "ticks",
  contextLength: 1_000_000,
  vision: false,
  async *stream({ signal }) {
    for (let tick = 0; tick < TICKS && !signal.aborted; tick += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield { type: "text", text: `${Date.now()} ` };
    }
    yield { type: "finish", reason: "stop" };
  },
};

/** Says more than any socket takes in advance. */
const talking: Model = {
  ...ticking,
  name: "talks",
  async *stream() {
    const text = `${"word ".repeat(13_000)}\n`;
    for (let piece = 0; piece < 60; piece += 1) yield { type: "text", text };
    yield { type: "finish", reason: "stop" };
  },
};

const own = new Map([ticking, talking].map((model) => [model.name, model]));
const block = { provider: "local", base_url: baseUrl, default: "test-model", context_length: 1_000_000 };
const configured = configuredModels(parseModelsConfig(block), { env: {}, clock: systemClock });
const models: Models = {
  ...configured,
  resolve: (ref) => own.get(ref.model ?? "") ?? configured.resolve(ref),
};

const bench = await benchHost(models);
const server = apiServer(bench.host, {
  settings: {
    ...API_DEFAULTS,
    key: BENCH_KEY,
    corsOrigins: [],
    hostNames: [],
    workspace: bench.home,
    maxConcurrentRuns: 0,
  },
  images: { fetch: () => Promise.reject(new Error("no images here")) },
  stats: {
    version: "bench",
    pid: process.pid,
    startedAt: Date.now(),
    memory: () => process.memoryUsage(),
    cpu: () => process.cpuUsage(),
    loopDelay: () => ({ p50: 0, p99: 0, max: 0 }),
    disk: () => Promise.resolve(undefined),
  },
  log: () => undefined,
});
const listening = await server.listen({ host: "127.0.0.1", port: 0 });
console.log(listening.url);
process.stdin.resume().on("end", () => {
  void (async () => {
    await bench.host.close();
    server.sayGoodbye();
    server.close();
    await listening.close();
    await configured[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  })();
});
