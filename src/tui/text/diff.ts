import type { Line, Style } from "./line.ts";
import { span } from "./line.ts";
import { wrapExact } from "./wrap.ts";

/** A unified diff as coloured lines. */
export function diffLines(text: string, columns: number): readonly Line[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .filter((each) => !/^(diff --git|index |new file|deleted file)/.test(each))
    .flatMap((each) => wrapExact([span(each, ...styleOf(each))], columns));
}

function styleOf(text: string): readonly Style[] {
  if (/^(\+\+\+|---|diff |index )/.test(text)) return ["dim", "bold"];
  if (text.startsWith("@@")) return ["accent"];
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
