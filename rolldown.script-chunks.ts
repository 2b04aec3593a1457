import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Script } from "node:vm";
import type { Plugin } from "rolldown";

/** The parameters of a script's function: what takes another chunk, and what stands for `import.meta`. */
const [LOAD, META] = ["__load", "__meta"];

const FROM = String.raw`from "(\.[^"]+)";$`;
const NAMED_IMPORT = new RegExp(String.raw`^import \{([^}]*)\} ${FROM}`, "gm");
const PACKAGE_IMPORT = /^import ([\w$]+) from "([^."][^"]*)";$/gm;
const BARE_IMPORT = /^import "([^"]+)";$/gm;
const PASSED_ON = new RegExp(String.raw`^export \{([^}]*)\} ${FROM}`, "gm");
const EXPORT = /^export \{([^}]*)\};$/gm;
const DEFAULT_EXPORT = /^export default (.+);$/gm;
const LATE_IMPORT = /\bimport\("(\.[^"]+)"\)/g;
/** An `import()` of anything else; a method may have that name. */
const PACKAGE_LATE = /(?<=(?:\b(?:await|return)|[=(,?:&|])\s*)import\(/g;

/** A name of a list in braces, inside and outside: `a` or `a as b`. */
type Named = readonly [name: string, as: string];

const namesOf = (list: string): readonly Named[] =>
  list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .map((each) => each.split(" as "))
    .map(([name = "", as = name]) => [name, as]);

const taken = (list: string): string =>
  `{ ${namesOf(list)
    .map(([name, as]) => (name === as ? name : `${name}: ${as}`))
    .join(", ")} }`;

/**
 * Whether a name of a chunk has its value when the chunk has run, and keeps it. Who takes it has it for good, while a module
 * would see it change.
 */
function isFinal(name: string, code: string): boolean {
  const self = String.raw`(?<![\w$.])${RegExp.escape(name)}(?![\w$])`;
  const constant = String.raw`^(?:(?:async )?function\*? ?|class |const (?:[{[][^=;]*)?)${self}`;
  if (new RegExp(constant, "m").test(code)) return true;
  const given = new RegExp(
    String.raw`${self}(?: ?(?:[-+*/%&|^]|\*\*|\?\?|\|\||&&|<<|>>>?)?=(?![=>])|\+\+|--)|(?:\+\+|--)${self}`,
    "g",
  );
  const isDeclaredWithValue = new RegExp(String.raw`^(?:let|var) ${self} = `, "m").test(code);
  return isDeclaredWithValue && [...code.matchAll(given)].length === 1;
}

/** What a chunk exports, as the properties of an object. @param take - how it takes another chunk */
function exportedBy(code: string, take: (path: string) => string): readonly string[] {
  const own = [...code.matchAll(EXPORT)].flatMap(([, list = ""]) => namesOf(list));
  const passedOn = [...code.matchAll(PASSED_ON)].flatMap(([, list = "", path = ""]) =>
    namesOf(list).map(([name, as]) => `${as}: (${take(path)})[${JSON.stringify(name)}]`),
  );
  const standard = [...code.matchAll(DEFAULT_EXPORT)].map(([, value = ""]) => `default: ${value}`);
  const named = own.map(([name, as]) => {
    if (!isFinal(name, code)) return `get ${as}() { return ${name}; }`;
    return name === as ? name : `${as}: ${name}`;
  });
  return [...named, ...passedOn, ...standard];
}

/** A chunk as an expression: a function that runs it once and gives what it exports. @param late - chunks that wait while they load */
function asScript(code: string, late: ReadonlySet<string>, isLate: boolean): string {
  const take = (path: string): string => {
    const call = `${LOAD}(${JSON.stringify(basename(path))})`;
    return late.has(basename(path)) ? `await ${call}` : call;
  };
  const body = code
    .replace(PASSED_ON, "")
    .replace(EXPORT, "")
    .replace(DEFAULT_EXPORT, "")
    .replace(NAMED_IMPORT, (_line, list: string, path: string) => `const ${taken(list)} = ${take(path)};`)
    .replace(BARE_IMPORT, (_line, path: string) => (path.startsWith(".") ? `${take(path)};` : ""))
    .replace(
      PACKAGE_IMPORT,
      (_line, as: string, name: string) => `const { default: ${as} } = await ${LOAD}.module("${name}");`,
    )
    .replace(LATE_IMPORT, (_call, path: string) => `${LOAD}.late(${JSON.stringify(basename(path))})`)
    .replace(PACKAGE_LATE, `${LOAD}.module(`)
    .replaceAll("import.meta", META);
  // On the first line with the first statement: a stack trace names lines of the file.
  const head = `(${isLate ? "async " : ""}function (${LOAD}, ${META}) { "use strict"; `;
  return `${head}${body}\nreturn { ${exportedBy(code, take).join(", ")} };\n})`;
}

/** Throws when a chunk takes something of another one that may change later: those modules belong into one chunk. */
function refuseChanging(chunks: readonly { readonly fileName: string; readonly code: string }[]): void {
  const codes = new Map(chunks.map(({ fileName, code }) => [basename(fileName), code]));
  for (const { fileName, code } of chunks)
    for (const [, list = "", path = ""] of code.matchAll(NAMED_IMPORT)) {
      const other = codes.get(basename(path)) ?? "";
      const exported = new Map(
        [...other.matchAll(EXPORT)].flatMap(([, all = ""]) => namesOf(all)).map(([name, as]) => [as, name]),
      );
      for (const [name] of namesOf(list)) {
        const own = exported.get(name);
        if (own !== undefined && !isFinal(own, other) && !isTaken(own, other))
          throw new Error(`${fileName} takes ${own} of ${basename(path)}, which may change.`);
      }
    }
}

/** Whether a chunk has a name from another one. */
const isTaken = (name: string, code: string): boolean =>
  [...code.matchAll(NAMED_IMPORT)].some(([, list = ""]) => namesOf(list).some(([, as]) => as === name));

/** Why it cannot be run; undefined when it can. */
function syntaxError(code: string): string | undefined {
  try {
    void new Script(code);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.stack : String(thrown);
  }
}

/**
 * Writes each chunk as a script instead of a module. V8 can keep what it has compiled of a script after it has run: all
 * functions that were used. Of a module it keeps only what was compiled before the first function ran, and a start compiles
 * thousands. `src/cli/loading` loads them.
 */
export const scriptChunks: Plugin = {
  name: "script-chunks",
  // A script's name says what stands in it, also when it is only written in another way. The bundler runs its settings as one file.
  augmentChunkHash: () => readFileSync(new URL(import.meta.url), "utf8"),
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
    const late = new Set<string>();
    // Who takes from a chunk that waits has to wait itself.
    for (let before = -1; before < late.size;) {
      before = late.size;
      for (const { code, fileName } of chunks)
        if (syntaxError(asScript(code, late, false)) !== undefined) late.add(basename(fileName));
    }
    refuseChanging(chunks);
    for (const chunk of chunks) {
      const name = basename(chunk.fileName);
      chunk.code = asScript(chunk.code, late, late.has(name)).replace(
        /[^\0-\u007f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      const wrong = syntaxError(chunk.code);
      if (wrong !== undefined) throw new Error(`${name} cannot be written as a script: ${wrong}`);
    }
  },
};
