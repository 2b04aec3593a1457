/** A value of plain YAML. */
export type PlainValue = string | number | boolean | null | { [key: string]: PlainValue };

/** A key, a value that stands on the same line, and a comment behind them. */
const LINE = /^(?<indent> *)(?<key>[A-Za-z][\w-]{0,99}):(?: +(?<value>[^\s#].*?))? *(?: #.*)?$/;
const NOTHING = /^ *(?:#.*)?$/;
const WORD = /^[A-Za-z/](?:[\w./:@+#-]*[\w./@+#-])?$/;
const WHOLE_NUMBER = /^(?:0|-?[1-9]\d{0,14})$/;
const QUOTED = /^(?:"(?<double>[^"\\]*)"|'(?<single>[^']*)')$/;
/** Words that are values of other types in one spelling or another. */
const OTHER_TYPES = /^(?:true|false|null)$/i;
const LITERALS: Readonly<Record<string, PlainValue>> = { true: true, false: false, null: null };
/** What YAML does not take as text, and what breaks its lines. */
const STRANGE = /[^\n\u0020-\u007e\u00a0-\ud7ff]/;

/**
 * Reads YAML of the plainest kind, which most configurations are: blocks of keys with words, whole numbers, `true`, `false`
 * and quoted text. Everything else, also what is wrong, is left to a real parser, which takes ten times as long to load.
 *
 * @returns `undefined` for what only a real parser can judge; else what that would give
 */
export function readPlainYaml(text: string): Record<string, PlainValue> | undefined {
  if (STRANGE.test(text)) return undefined;
  const document: Record<string, PlainValue> = {};
  const open: OpenBlock[] = [{ indent: 0, block: document }];
  /** A key without a value, which may turn out to begin a block. */
  let bare: BareKey | undefined;
  for (const line of text.split("\n")) {
    if (NOTHING.test(line)) continue;
    const { indent, key, value } = LINE.exec(line)?.groups ?? {};
    if (indent === undefined || key === undefined || OTHER_TYPES.test(key)) return undefined;
    if (bare !== undefined && indent.length > bare.indent) {
      const block = {};
      bare.block[bare.key] = block;
      open.push({ indent: indent.length, block });
    }
    while ((open.at(-1)?.indent ?? 0) > indent.length) open.pop();
    const inside = open.at(-1);
    if (inside === undefined || inside.indent !== indent.length || Object.hasOwn(inside.block, key))
      return undefined;
    const read = value === undefined ? null : readScalar(value);
    if (read === undefined) return undefined;
    inside.block[key] = read;
    bare = value === undefined ? { ...inside, key } : undefined;
  }
  return document;
}

interface OpenBlock {
  /** Columns before its keys. */
  readonly indent: number;
  readonly block: Record<string, PlainValue>;
}

interface BareKey extends OpenBlock {
  readonly key: string;
}

function readScalar(text: string): PlainValue | undefined {
  const { double, single } = QUOTED.exec(text)?.groups ?? {};
  const quoted = double ?? single;
  if (quoted !== undefined) return quoted;
  if (WHOLE_NUMBER.test(text)) return Number(text);
  if (OTHER_TYPES.test(text)) return LITERALS[text];
  return WORD.test(text) ? text : undefined;
}
