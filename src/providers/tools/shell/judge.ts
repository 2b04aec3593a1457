import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { classify } from "./classify.ts";
import type { SimpleCommand } from "./commands.ts";
import { afterEntering, entering, type Entering } from "./directories.ts";
import { findForbidden, type CommandPlace } from "./forbidden.ts";
import { isPlainRepository } from "./git-config.ts";
import type { Harmless } from "./harmless.ts";
import { isInside } from "./path-use.ts";
import { isNarrow, patternOf, wholeLine } from "./patterns.ts";
import { parseShell } from "./shell-parse.ts";
import { literalText } from "./words.ts";

/** The verdict on a command line. */
export type Judgement =
  /** It only reads, and only in the workspace. */
  | { readonly verdict: "allow" }
  | { readonly verdict: "block"; readonly reason: string }
  | {
      readonly verdict: "ask";
      /** It only makes new things in the workspace. */
      readonly harmless: boolean;
      /** Empty: this is asked about every time. */
      readonly patterns: readonly string[];
      readonly allowPermanent: boolean;
      /** Why the line could not be read completely; empty when it was. */
      readonly unread: readonly string[];
    };

/** Options of the judge. */
export interface JudgeOptions extends CommandPlace {
  readonly platform: string;
}

/** Judges a command line before it runs. `around.cwd` must be a real path. */
export async function judgeCommand(command: string, around: JudgeOptions): Promise<Judgement> {
  const forbidden = findForbidden(command, around);
  if (forbidden !== undefined) return { verdict: "block", reason: forbidden };
  const { commands, unread } = parseShell(command);
  if (unread.length > 0 || commands.length === 0) {
    const patterns = [wholeLine(command)];
    return { verdict: "ask", harmless: false, patterns, allowPermanent: false, unread };
  }
  const judged = await new Judge(around).line(commands);
  const asking = commands.filter((_command, at) => judged[at] !== "reads");
  if (asking.length === 0) return { verdict: "allow" };
  return {
    verdict: "ask",
    harmless: judged.every((one) => one !== "unknown"),
    patterns: asking.some(removes) ? [] : [...new Set(asking.map(patternOf))],
    allowPermanent: asking.every(isNarrow),
    unread,
  };
}

/** What is removed is gone: that is never allowed in advance, in no form. */
function removes({ words: [first] }: SimpleCommand): boolean {
  return first !== undefined && /^(.*\/)?(rm|rmdir|shred|unlink)$/.test(literalText(first) ?? "");
}

type Judged = "reads" | "creates" | "unknown";

/** After these nobody knows where, or with what, the shell goes on. */
const CHANGES_SHELL = new Set(
  (
    ". alias bind builtin cd command declare enable eval exec export hash local popd pushd read readonly set shopt " +
    "source trap typeset ulimit umask unalias unset"
  ).split(" "),
);

class Judge {
  readonly #around: JudgeOptions;

  constructor(around: JudgeOptions) {
    this.#around = around;
  }

  async line(commands: readonly SimpleCommand[]): Promise<readonly Judged[]> {
    const judged: Judged[] = [];
    let cwds: readonly string[] = [this.#around.cwd];
    let entered: Entering | undefined;
    let lost = false;
    for (const command of commands) {
      if (entered !== undefined) cwds = afterEntering(entered, command.joint);
      const harmless: Harmless | undefined = lost ? undefined : classify(command);
      const fits: boolean = harmless !== undefined && (await this.#staysInside(harmless, cwds));
      judged.push(fits ? (harmless?.creates === true ? "creates" : "reads") : "unknown");
      entered = fits ? await this.#entered(harmless?.enters, cwds) : undefined;
      lost ||= !fits && CHANGES_SHELL.has((command.words[0] && literalText(command.words[0])) ?? ".");
    }
    return judged;
  }

  async #staysInside({ paths, usesGit }: Harmless, cwds: readonly string[]): Promise<boolean> {
    for (const cwd of cwds) {
      const workspace = this.#workspace(cwd);
      for (const use of paths) if (!(await isInside(workspace, use))) return false;
      if (usesGit === true && !(await isPlainRepository(workspace, cwd))) return false;
    }
    return true;
  }

  async #entered(enters: string | undefined, cwds: readonly string[]): Promise<Entering | undefined> {
    if (enters === undefined) return undefined;
    const real = new Map<string, string>();
    // `/dev/null` is inside for every command, but nobody gets into it.
    for (const cwd of cwds)
      real.set(
        cwd,
        await this.#workspace(cwd)
          .realPath(enters)
          .catch(() => cwd),
      );
    return entering(cwds, (cwd) => real.get(cwd) ?? cwd);
  }

  #workspace(cwd: string): Workspace {
    return openWorkspace({ cwd, roots: this.#around.roots }, this.#around.platform);
  }
}
