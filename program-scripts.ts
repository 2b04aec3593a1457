import type { Plugin } from "rolldown";
import { parseSync } from "rolldown/utils";

/**
 * Writes each chunk of the program as a function instead of a module: `src/cli/loader` runs it with the code that an earlier
 * process has compiled, which Node does not do for modules. Each line stays where it is.
 */
export const programScripts: Plugin = {
  name: "program-scripts",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = inAscii(asScript(file.code));
  },
};

/** A byte per character: V8 takes the file as it is. */
const inAscii = (code: string): string =>
  code.replace(/[\u0080-\u00ff]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`);

type Parsed = ReturnType<typeof parseSync>;
type Statement = Parsed["program"]["body"][number];

/** A place in a chunk, and what stands there instead. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function asScript(code: string): string {
  const { module, program } = parseSync("chunk.js", code);
  const own = new Map<string, string>();
  const edits = program.body.flatMap((statement) => edited(statement, code, own));
  for (const { start, end, moduleRequest } of module.dynamicImports) {
    const request = code.slice(moduleRequest.start, moduleRequest.end);
    const isChunk = /^["'`]\.\//.test(request);
    const text = isChunk ? `later(${chunkName(request.slice(1, -1))})` : `outside(${request})`;
    edits.push({ start, end, text: `__parts.${text}` });
  }
  for (const { start, end } of module.importMetas) edits.push({ start, end, text: "__parts" });
  const { waits, assigned } = found(program.body);
  const variables = program.body.flatMap(variablesOf);
  const changing = variables.filter((name) => assigned.has(name) && [...own.values()].includes(name));
  if (changing.length > 0)
    throw new Error(`What a chunk exports must not be assigned later: ${changing.join(", ")}`);
  const exported = Array.from(own, ([name, value]) => `get ${name}() { return ${value}; }`).join(", ");
  const start = `(${waits ? "async " : ""}function (__parts) { __parts.exports({ ${exported} }); `;
  return `${start}${withEdits(code, edits)}\n})`;
}

/** Takes imports and exports out of a statement; `own` gets what is exported, by its names outside. */
function edited(statement: Statement, code: string, own: Map<string, string>): Edit[] {
  const { start, end, type } = statement;
  switch (type) {
    case "ImportDeclaration":
      return [{ start, end, text: imported(statement) }];
    case "ExportNamedDeclaration": {
      if (statement.declaration !== null) throw new Error("A chunk exports a declaration, not names.");
      const { source } = statement;
      const of = source === null ? "" : `__parts.load(${chunkName(source.value)}).`;
      for (const { local, exported } of statement.specifiers)
        own.set(nameOf(exported), `${of}${nameOf(local)}`);
      return [{ start, end, text: "" }];
    }
    case "ExportDefaultDeclaration": {
      own.set("default", "__default");
      const { declaration } = statement;
      return [{ start, end, text: `const __default = ${code.slice(declaration.start, declaration.end)};` }];
    }
    case "ExportAllDeclaration":
      throw new Error("A chunk exports all of another one.");
    default:
      return [];
  }
}

function imported({ source, specifiers }: Extract<Statement, { type: "ImportDeclaration" }>): string {
  const names = specifiers.map((each) => {
    if (each.type === "ImportNamespaceSpecifier") throw new Error(`A chunk imports all of ${source.value}.`);
    return `${each.type === "ImportSpecifier" ? nameOf(each.imported) : "default"}: ${each.local.name}`;
  });
  // Names of Node's own modules are taken without an import: only a module that nothing is used of is left.
  if (source.value.startsWith("node:")) {
    if (names.length > 0) throw new Error(`A chunk imports names of ${source.value}.`);
    return "";
  }
  const from = source.value.startsWith("./")
    ? `__parts.load(${chunkName(source.value)})`
    : `await __parts.outside(${JSON.stringify(source.value)})`;
  return names.length === 0 ? `${from};` : `const { ${names.join(", ")} } = ${from};`;
}

const nameOf = (name: { readonly type: string; readonly name?: string; readonly value?: string }): string =>
  name.name ?? name.value ?? "";

/** All chunks lie in one folder. */
const chunkName = (request: string): string => JSON.stringify(request.replace(/^\.\//, ""));

const variablesOf = (statement: Statement): readonly string[] =>
  statement.type === "VariableDeclaration" && statement.kind !== "const"
    ? statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
    : [];

/** Whether the code outside of functions waits, and to which names functions assign. */
function found(body: unknown): { readonly waits: boolean; readonly assigned: ReadonlySet<string> } {
  let waits = false;
  const assigned = new Set<string>();
  const visit = (node: unknown, inFunction: boolean): void => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each, inFunction);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    const { type, left, argument } = node as Readonly<Record<string, unknown>>;
    if (type === "AwaitExpression" && !inFunction) waits = true;
    if (type === "ImportDeclaration" && !isOwnImport(node)) waits = true;
    const target =
      type === "AssignmentExpression" ? left : type === "UpdateExpression" ? argument : undefined;
    if (inFunction && isIdentifier(target)) assigned.add(target.name);
    const isFunction = typeof type === "string" && /Function/.test(type);
    for (const child of Object.values(node)) visit(child, inFunction || isFunction);
  };
  visit(body, false);
  return { waits, assigned };
}

/** Whether it is of a chunk, or of Node: of another package it is waited for. */
const isOwnImport = (node: object): boolean =>
  "source" in node &&
  typeof node.source === "object" &&
  node.source !== null &&
  "value" in node.source &&
  /^(\.\/|node:)/.test(String(node.source.value));

const isIdentifier = (node: unknown): node is { readonly name: string } =>
  typeof node === "object" && node !== null && "type" in node && node.type === "Identifier";

function withEdits(code: string, edits: readonly Edit[]): string {
  let text = "";
  let at = 0;
  for (const { start, end, text: instead } of edits.toSorted((a, b) => a.start - b.start)) {
    text += code.slice(at, start) + instead;
    at = end;
  }
  return text + code.slice(at);
}
