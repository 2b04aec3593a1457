import { resolve } from "node:path";
import { defineConfig, type Plugin } from "rolldown";

const OWN = [resolve("src"), resolve("test/kit")];
const ENTRY = "entry:";

/**
 * Gives each door (`index.ts`) that programs import an entry module of its own, which exports what the door exports. An
 * entry is always kept whole: if the door itself were one, a part that uses one function of it would load all of it.
 */
const doorEntries: Plugin = {
  name: "door-entries",
  resolveId: (id, _importer, { isEntry }) =>
    isEntry && id.endsWith("/index.ts") ? `${ENTRY}${resolve(id)}` : undefined,
  load: (id) =>
    id.startsWith(ENTRY) ? `export * from ${JSON.stringify(id.slice(ENTRY.length))};` : undefined,
};

/** One bundle with shared chunks: each surface and each heavy library is read from disk only when it is used. */
export default defineConfig({
  input: {
    index: "src/core/index.ts",
    acp: "src/acp/index.ts",
    store: "src/providers/store/index.ts",
    "store-worker": "src/providers/store/sqlite/worker.ts",
    "web-reader": "src/providers/web/reader/worker.ts",
    models: "src/providers/models/index.ts",
    tools: "src/providers/tools/index.ts",
    web: "src/providers/web/index.ts",
    fetch: "src/providers/fetch/index.ts",
    images: "src/providers/images/index.ts",
    rpc: "src/rpc/index.ts",
    "rpc-client": "src/rpc/client/index.ts",
    http: "src/http/index.ts",
    testing: "test/kit/index.ts",
    cli: "src/cli/main.ts",
    reaper: "src/app/reaper/main.ts",
  },
  plugins: [doorEntries],
  // No module of this package does anything when it is only imported: what nobody uses of it is not loaded.
  treeshake: { moduleSideEffects: (id) => (OWN.some((folder) => id.startsWith(folder)) ? false : undefined) },
  platform: "node",
  external: [/^node:/, "react-devtools-core", "@vscode/ripgrep", "sharp", /^@lydell\/node-pty/, "vitest", "fast-check"],
  // Its other form loads its parts in a way that cannot be bundled.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  transform: { target: "node24", define: { "process.env.NODE_ENV": '"production"' } },
  output: {
    dir: "dist",
    format: "esm",
    minify: true,
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  },
});
