import { messageOf, toolFailed } from "../../../shared/errors/host-error.ts";

/** Character classes by name, as ASCII has them. */
const NAMED_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

/**
 * The JavaScript twin of a pattern that was written for ripgrep. The common language of both is large; what only
 * ripgrep has is translated where models use it.
 *
 * @throws HostError `tool_failed` for a pattern that is none
 */
export function compileForJs(pattern: string): RegExp {
  const [, letters = "", rest = pattern] = /^\(\?([a-z]+)\)(.*)$/s.exec(pattern) ?? [];
  const flags = [...new Set(letters.replaceAll("u", "").split(""))].join("");
  const source = rest
    .replace(/\[:(\w+):\]/g, (whole, name: string) => NAMED_CLASSES[name] ?? whole)
    .replace(/\(\?P</g, "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$");
  try {
    return tryFlags(source, [`u${flags}`, flags]);
  } catch (error) {
    const reason = messageOf(error);
    throw toolFailed(`The pattern cannot be used: ${reason}`, error);
  }
}

/** Some escapes that ripgrep takes are errors where characters are whole code points. */
function tryFlags(source: string, [first = "", ...others]: readonly string[]): RegExp {
  try {
    return new RegExp(source, first);
  } catch (error) {
    if (others.length === 0) throw error;
    return tryFlags(source, others);
  }
}
