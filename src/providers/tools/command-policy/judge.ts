import { rulesFor, wholeLine } from "./allow-rules.ts";
import { hardBlockReason, type BlockPlace } from "./hard-block/hard-block.ts";
import { runsOthers } from "./hard-block/inner-commands.ts";
import { parseShell } from "./hard-block/shell-parse.ts";
import { readSimpleLine } from "./simple-line.ts";
import { type CommandPlace, unaskedLine } from "./unasked.ts";

/** The verdict on a command line before it runs. */
export type Judgement =
  /** It only reads, and only in the workspace: `unaskedLine` gives the form in which it runs. */
  | { readonly verdict: "allow" }
  | { readonly verdict: "block"; readonly reason: string }
  | {
      readonly verdict: "ask";
      /** Rules that an approval can leave behind; empty when it is asked every time. */
      readonly rules: readonly string[];
      /** The rules may be kept in the configuration: they say completely what will run. */
      readonly allowPermanent: boolean;
      /** The parts of the line that a reader may misunderstand. */
      readonly unread: readonly string[];
    };

/** Programs that remove: what they take is gone, so that no approval of them lasts. */
const REMOVES = /(^|\/)(rm|rmdir|shred|unlink)$/;

/** Judges a command line. */
export async function judgeCommand(
  line: string,
  place: CommandPlace & BlockPlace,
  { mayRunUnasked }: { readonly mayRunUnasked: boolean },
): Promise<Judgement> {
  const reason = hardBlockReason(line, place);
  if (reason !== undefined) return { verdict: "block", reason };
  await using unasked = mayRunUnasked ? await unaskedLine(line, place) : undefined;
  if (unasked !== undefined) return { verdict: "allow" };
  const commands = readSimpleLine(line);
  if (commands === undefined)
    return {
      verdict: "ask",
      rules: [wholeLine(line)],
      allowPermanent: false,
      unread: parseShell(line).unread,
    };
  const isClear = commands.every(({ words }) => !runsOthers(words.map(({ text }) => text)));
  const removes = commands.some(({ words: [first] }) => REMOVES.test(first?.text ?? ""));
  const rules = isClear ? rulesFor(line) : [wholeLine(line)];
  return { verdict: "ask", rules: removes ? [] : rules, allowPermanent: isClear, unread: [] };
}
