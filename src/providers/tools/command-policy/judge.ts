import { partsFor, wholeLine } from "./allow-rules.ts";
import { hardBlockReason, type BlockPlace } from "./hard-block/hard-block.ts";
import { runsOthers } from "./hard-block/inner-commands.ts";
import { parseShell } from "./hard-block/shell-parse.ts";
import { commandNames } from "./command-names.ts";
import { reasonsToAsk } from "./reasons.ts";
import { reasonsToLeave } from "./sandbox-exit.ts";
import { readSimpleLine } from "./simple-line.ts";
import { type CommandPlace, unaskedLine } from "./unasked.ts";

/** The verdict on a command line before it runs. */
export type Judgement =
  /** It only reads, and only in the workspace: `unaskedLine` gives the form in which it runs. */
  | { readonly verdict: "allow"; readonly names: readonly string[]; readonly isPortable: boolean }
  | { readonly verdict: "block"; readonly reason: string }
  | {
      readonly verdict: "ask";
      /** Rules that an approval can leave behind; empty when it is asked every time. */
      readonly rules: readonly string[];
      /** What has to be covered, each with the rules that cover it: that of `rules` first, the narrowest last. */
      readonly parts: readonly (readonly string[])[];
      /** The rules may be kept in the configuration: they say completely what will run. */
      readonly allowPermanent: boolean;
      /** The parts of the line that a reader may misunderstand. */
      readonly unread: readonly string[];
      /** Why it is asked; each is the end of "It …". */
      readonly reasons: readonly string[];
      /** Its commands, for rules that deny. */
      readonly names: readonly string[];
      /** Why it cannot work in the sandbox; each is the end of "It …". */
      readonly leaves: readonly string[];
    };

/** Programs that remove: what they take is gone, so that no approval of them lasts. */
const REMOVES = /(^|\/)(rm|rmdir|shred|unlink)$/;

/** Says whether a program removes files. */
export const isRemoving = (program: string): boolean => REMOVES.test(program);

/** Judges a command line. */
export async function judgeCommand(
  line: string,
  place: CommandPlace & BlockPlace,
  { mayRunUnasked }: { readonly mayRunUnasked: boolean },
): Promise<Judgement> {
  const reason = hardBlockReason(line, place);
  if (reason !== undefined) return { verdict: "block", reason };
  const commands = readSimpleLine(line);
  const names = commandNames(line, commands);
  await using unasked = mayRunUnasked ? await unaskedLine(line, place) : undefined;
  if (unasked !== undefined) return { verdict: "allow", names, isPortable: unasked.isPortable };
  const unread = commands === undefined ? parseShell(line).unread : [];
  const reasons = reasonsToAsk(commands, place, { background: !mayRunUnasked, unread });
  const leaves = reasonsToLeave(line);
  if (commands === undefined)
    return {
      verdict: "ask",
      rules: [wholeLine(line)],
      parts: [[wholeLine(line)]],
      allowPermanent: false,
      unread,
      reasons,
      names,
      leaves,
    };
  const isClear = commands.every(({ words }) => !runsOthers(words.map(({ text }) => text)));
  const removes = commands.some(({ words: [first] }) => isRemoving(first?.text ?? ""));
  const parts = removes ? [] : isClear ? partsFor(line) : [[wholeLine(line)]];
  const rules = [...new Set(parts.flatMap(([usual]) => usual ?? []))];
  return { verdict: "ask", rules, parts, allowPermanent: isClear, unread: [], reasons, names, leaves };
}
