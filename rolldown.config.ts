import { isBuiltin } from "node:module";
import { resolve } from "node:path";
import { getBuiltinModule } from "node:process";
import { promisify } from "node:util";
import { defineConfig, type OutputOptions, type Plugin, type RolldownOptions } from "rolldown";
import { partOfCommand, partOfLibrary } from "./rolldown.parts.ts";
import { scriptChunks } from "./rolldown.script-chunks.ts";

const OWN = [resolve("src"), resolve("test/kit")];
const ENTRY = "entry:";

const isOwn = (id: string): boolean => OWN.some((folder) => id.startsWith(folder));

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

/** Leaves out the source maps of files that hold only other people's code, which is most of the bytes. */
const ownMaps: Plugin = {
  name: "own-maps",
  generateBundle(_options, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (file.type !== "chunk" || file.moduleIds.some((id) => isOwn(id))) continue;
      delete bundle[`${name}.map`];
      file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
    }
  },
};

/** The layout engine holds its program as text. Without a `fetch` it decodes that itself; with it, Node would load its HTTP client. */
const decodesItself: Plugin = {
  name: "decodes-itself",
  transform: {
    filter: { id: /yoga-wasm-base64-esm\.js$/ },
    handler: (code) => `const fetch = undefined;\n${code}`,
  },
};

/** A schema that the editors' protocol exports, up to the line on which the next statement begins. */
const EXPORTED_SCHEMA = /^export const (z\w+) = (z(?:[A-Z]\w*)?\.[a-zA-Z]+\([\s\S]*?);\n(?=\/|export |$)/gm;

/** The schemas of the editors' protocol are made when they are used: an editor waits for all 250, and needs few. */
const lazySchemas: Plugin = {
  name: "lazy-schemas",
  transform: {
    // Version 2 looks into its schemas as soon as it is loaded.
    filter: { id: /@agentclientprotocol\/sdk\/dist\/(?!v2\/).*\/zod\.gen\.js$/ },
    handler(code) {
      const lazy = code.replace(EXPORTED_SCHEMA, "export const $1 = z.lazy(() => $2);\n");
      if (lazy === code)
        throw new Error("The protocol's schemas are no longer written as lazy-schemas expects.");
      return lazy;
    },
  },
};

const SEGMENTER =
  /^const (\w+) = new Intl\.Segmenter\((?:undefined, ?\{ ?granularity: ?['"]grapheme['"],? ?\})?\);$/m;

/** Packages that draw on a terminal make a segmenter when they are loaded; ours loads its tables when a text needs them. */
const lazySegmenters: Plugin = {
  name: "lazy-segmenters",
  transform: {
    filter: { id: /node_modules/, code: SEGMENTER },
    handler(code) {
      const own = JSON.stringify(resolve("src/tui/text/grapheme-segmenter.ts"));
      return `import { GraphemeSegmenter } from ${own};\n${code.replace(SEGMENTER, "const $1 = new GraphemeSegmenter();")}`;
    },
  },
};

const WIDTH_REGEX = /^const ((?:visibleCharacter|spacingMark|rgiEmoji)Regex) = (\/.+\/v);$/gm;
const ASCII_ONLY = String.raw`if (/^[\u0020-\u007E]*$/.test(string))`;

/** The measure of a text's columns reads 50 ms of tables: those are read when a text needs them, and few of a terminal's do. */
const lazyWidths: Plugin = {
  name: "lazy-widths",
  transform: {
    filter: { id: /string-width\/index\.js$/ },
    handler(code) {
      const names = Array.from(code.matchAll(WIDTH_REGEX), ([, name]) => name);
      if (names.length !== 3 || !code.includes(ASCII_ONLY))
        throw new Error("The measure of texts is no longer written as lazy-widths expects.");
      const own = JSON.stringify(resolve("src/tui/text/narrow.ts"));
      const lazy = code
        .replace(ASCII_ONLY, "if (ambiguousIsNarrow && NARROW.test(string))")
        .replace(new RegExp(String.raw`\b(?<!const )(?:${names.join("|")})\b`, "g"), "$&()")
        .replace(WIDTH_REGEX, "let $1Made;\nconst $1 = () => ($1Made ??= $2);");
      return `import { NARROW } from ${own};\n${lazy}`;
    },
  },
};

/** How the bundler writes an import of one of Node's own modules: of the whole, of some names, or of both. */
const BUILTIN =
  /^import (?:(?:\* as )?([\w$]+))?(?:, )?(?:\{ ([^}]+) \}|\* as ([\w$]+))? from "(node:[\w/]+)";$/gm;

/** The same in the format that Node loads sooner. */
const REQUIRED = /^let (\w+) = require\("(node:[\w/]+)"\);$/gm;

/** Modules that take milliseconds to load, of which a start needs nothing: they are loaded with the first use. */
const LOADED_LATE = new Set(
  ["child_process", "crypto", "fs/promises", "http", "https", "zlib"].map((name) => `node:${name}`),
);

/** Writes how a module is taken with its first use and then kept: Node looks for it each time that it is asked. */
const takenOnce = (id: string): string =>
  `(${keptName(id)} ??= globalThis.process.getBuiltinModule("${id}"))`;

/** What holds a module once it was taken. */
const keptName = (id: string): string => `late_${id.replaceAll(/\W/g, "_")}`;

/** An object that stands for a module, and loads it when something of it is used. */
const lateModule = (taken: string): string => `new Proxy({}, { get: (_, name) => ${taken}[name] })`;

/** Writes how an import of one of Node's own modules is taken. */
function takenAsUsed(id: string, { whole, names, all }: Record<string, string | undefined>): string {
  const taken = `globalThis.process.getBuiltinModule("${id}")`;
  const some = names === undefined ? all : `{ ${names.replaceAll(" as ", ": ")} }`;
  if (LOADED_LATE.has(id)) {
    const functions = (names?.split(", ") ?? []).map((name) => lateFunction(id, name));
    const wholes = [whole, all].flatMap((as) =>
      as === undefined ? [] : [`const ${as} = ${lateModule(takenOnce(id))};`],
    );
    return [`var ${keptName(id)};`, ...wholes, ...functions].join(" ");
  }
  if (whole === undefined) return `const ${some} = ${taken};`;
  return `const ${whole} = ${taken}${some === undefined ? "" : `, ${some} = ${whole}`};`;
}

/** Writes a function that takes the real one when it is called; one that brings its own promises must be the real one. */
function lateFunction(id: string, name: string): string {
  const [of = name, as = of] = name.split(" as ");
  const taken = `${takenOnce(id)}.${of}`;
  const real: unknown = Reflect.get(getBuiltinModule(id) ?? {}, of);
  const isLate = typeof real === "function" && !(promisify.custom in real) && /^[a-z]/.test(of);
  return `const ${as} = ${isLate ? `(...given) => ${taken}(...given)` : taken};`;
}

/**
 * Takes Node's own modules without `import`: that would read each of their exports, and some are loaded when they are read,
 * the HTTP client inside Node among them.
 */
const builtinsAsUsed: Plugin = {
  name: "builtins-as-used",
  resolveId: (id) => (isBuiltin(id) ? { id: id.replace(/^(?:node:)?/, "node:"), external: true } : undefined),
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue;
      file.code = file.code
        .replace(BUILTIN, (_line, ...[whole, names, all, id = ""]: (string | undefined)[]) =>
          takenAsUsed(id, { whole, names, all }),
        )
        .replace(REQUIRED, (line, as: string, id: string) =>
          LOADED_LATE.has(id) ? `const ${as} = ${lateModule(`require("${id}")`)};` : line,
        );
    }
  },
};

/** Writes other characters than Latin ones as escapes: with a single one, V8 keeps twice the bytes of a whole file. */
const latinOutput: Plugin = {
  name: "latin-output",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue;
      file.code = file.code.replace(
        /[^\0-\u00ff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    }
  },
};

const common: RolldownOptions = {
  plugins: [
    doorEntries,
    ownMaps,
    decodesItself,
    lazySchemas,
    lazySegmenters,
    lazyWidths,
    builtinsAsUsed,
    latinOutput,
  ],
  // No module of this package does anything when it is only imported: what nobody uses of it is not loaded.
  treeshake: { moduleSideEffects: (id) => (isOwn(id) ? false : undefined) },
  platform: "node",
  external: [
    /^node:/,
    "react-devtools-core",
    "@vscode/ripgrep",
    "sharp",
    /^@lydell\/node-pty/,
    "vitest",
    "fast-check",
  ],
  // Its other form loads its parts in a way that cannot be bundled.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  transform: { target: "node24", define: { "process.env.NODE_ENV": '"production"' } },
};
const output: OutputOptions = {
  dir: "dist",
  format: "esm",
  // A stack trace shows the line that failed: it must be a line that a person can read.
  minify: "dce-only",
  sourcemap: true,
  // Documentation is in the declarations; a running program would keep it in memory.
  comments: { jsdoc: false },
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
};

export default defineConfig([
  // One bundle with shared chunks: each surface and each heavy library is read from disk only when it is used.
  {
    ...common,
    input: {
      index: "src/core/index.ts",
      acp: "src/acp/index.ts",
      store: "src/providers/store/index.ts",
      "web-reader": "src/providers/web/reader/worker.ts",
      "kb-reader": "src/providers/kb/reading/worker.ts",
      "mail-reader": "src/chat/email/reading/worker.ts",
      models: "src/providers/models/index.ts",
      tools: "src/providers/tools/index.ts",
      web: "src/providers/web/index.ts",
      fetch: "src/providers/fetch/index.ts",
      images: "src/providers/images/index.ts",
      rpc: "src/rpc/index.ts",
      "rpc-client": "src/rpc/client/index.ts",
      http: "src/http/index.ts",
      testing: "test/kit/index.ts",
      reaper: "src/app/reaper/main.ts",
    },
    output: {
      ...output,
      cleanDir: true,
      codeSplitting: { groups: [{ name: partOfLibrary() }], includeDependenciesRecursively: false },
    },
  },
  // The command, as scripts, which start sooner than modules.
  {
    ...common,
    plugins: [common.plugins, scriptChunks],
    input: { main: "src/cli/main.ts" },
    output: {
      ...output,
      dir: "dist/command",
      sourcemap: false,
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
      codeSplitting: { groups: [{ name: partOfCommand() }], includeDependenciesRecursively: false },
    },
  },
  // A thread shares nothing with the main one: one file each, with what it needs and no more.
  // So does what runs before anything else is loaded, in the format that Node loads sooner.
  ...Object.entries({ greeting: "src/cli/acp/greet-on-stdio.ts", loading: "src/cli/loading/main.ts" }).map(
    ([name, file]): RolldownOptions => ({
      ...common,
      input: { [name]: file },
      output: { ...output, format: "cjs", entryFileNames: "[name].cjs" },
    }),
  ),
  ...Object.entries({
    "store-worker": "src/providers/store/sqlite/worker.ts",
    "search-worker": "src/providers/store/search/worker.ts",
    "kb-worker": "src/providers/kb/worker.ts",
    "checkpoint-worker": "src/providers/checkpoints/worker.ts",
    "checkpoint-sweeper": "src/providers/checkpoints/sweep-thread/main.ts",
  }).map(([name, file]) => ({ ...common, input: { [name]: file }, output })),
]);
