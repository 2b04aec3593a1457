import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath as file } from "node:url";
import { Worker } from "node:worker_threads";
import { rolldown } from "rolldown";
import type { StartSearchThread } from "../../../../src/providers/store/search/search-thread.ts";
import type { StartThread } from "../../../../src/providers/store/sqlite/worker-backend.ts";

/** The store's thread and the programs in `programs/`, bundled as they are shipped: they start ten times as fast. */
export interface BuiltStore {
  readonly startThread: StartThread;
  readonly startSearchThread: StartSearchThread;
  readonly program: (name: "append" | "open") => string;
}

let built: Promise<BuiltStore> | undefined;

/** Builds once for all files of a worker; what was built goes when that ends. */
export function builtStore(): Promise<BuiltStore> {
  built ??= build();
  return built;
}

async function build(): Promise<BuiltStore> {
  const dir = await mkdtemp(join(tmpdir(), "agent-store-built-"));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  const bundle = await rolldown({
    input: {
      "store-worker": file(new URL("../../../../src/providers/store/sqlite/worker.ts", import.meta.url)),
      "search-worker": file(new URL("../../../../src/providers/store/search/worker.ts", import.meta.url)),
      append: file(new URL("programs/append.ts", import.meta.url)),
      open: file(new URL("programs/open.ts", import.meta.url)),
    },
    platform: "node",
    external: [/^node:/],
    treeshake: { moduleSideEffects: false },
  });
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
  await bundle.close();
  await writeFile(join(dir, "package.json"), `{"type":"module"}`);
  return {
    startThread: (data) =>
      new Worker(join(dir, "store-worker.js"), { workerData: data, execArgv: [], env: {} }),
    startSearchThread: (data) =>
      new Worker(join(dir, "search-worker.js"), { workerData: data, execArgv: [], env: {} }),
    program: (name) => join(dir, `${name}.js`),
  };
}
