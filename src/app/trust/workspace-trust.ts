import { relative } from "node:path";
import type { Knowledge } from "../../providers/knowledge/index.ts";
import { counted } from "../../shared/text/counted.ts";
import type { FolderTrust } from "./folder-trust.ts";

/** The files of a folder that are left out because nobody has said that they trust it. */
export interface LeftOut {
  /** The folder that a decision would be about: that of the repository, or the workspace itself. */
  readonly folder: string;
  /** Relative paths: project files, and folders of skills. */
  readonly files: readonly string[];
  /** Somebody has said that it is not trusted. */
  readonly decided: boolean;
}

/** Says what of a workspace is left out; `undefined` when nothing is. */
export function leftOutOf(
  cwd: string,
  { knowledge, trust }: { readonly knowledge: Knowledge; readonly trust: FolderTrust },
): LeftOut | undefined {
  const { folder, paths } = knowledge.leftOut(cwd);
  if (paths.length === 0) return undefined;
  const files = paths.map((path) => relative(folder, path));
  return { folder, files, decided: trust.decisionAbout(folder)?.trusted === false };
}

const MOST_NAMED = 5;

/** Tells what is left out, for people. */
export function leftOutWords({ folder, files }: LeftOut): string {
  const named = files.slice(0, MOST_NAMED).join(", ");
  const rest = files.length > MOST_NAMED ? ` and ${counted(files.length - MOST_NAMED, "more file")}` : "";
  return `Not read: ${named}${rest} of ${folder}, since nobody has said that this folder is trusted. \`agent trust add ${folder}\` does.`;
}
