import type { Line, Style } from "./line.ts";
import { span } from "./line.ts";
import { wrapExact } from "./wrap.ts";

/** A unified diff as coloured lines. Which file it is of is said only when it is of several. */
export function diffLines(text: string, columns: number): readonly Line[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const several = lines.filter((each) => each.startsWith("+++ ")).length > 1;
  const unsaid = several
    ? /^(diff --git|index |new file|deleted file)/
    : /^(diff --git|index |new file|deleted file|--- |\+\+\+ )/;
  return lines
    .filter((each) => !unsaid.test(each))
    .flatMap((each) => wrapExact([span(each, ...styleOf(each))], columns));
}

function styleOf(text: string): readonly Style[] {
  if (/^(\+\+\+|---|diff |index )/.test(text)) return ["dim", "bold"];
  if (text.startsWith("@@")) return ["dim"];
  if (text.startsWith("+")) return ["added"];
  if (text.startsWith("-")) return ["removed"];
  return [];
}

/** How many lines a diff adds and removes. */
export function diffSize(text: string): { readonly added: number; readonly removed: number } {
  const lines = text.split("\n").filter((each) => !/^(\+\+\+|---)/.test(each));
  return {
    added: lines.filter((each) => each.startsWith("+")).length,
    removed: lines.filter((each) => each.startsWith("-")).length,
  };
}
