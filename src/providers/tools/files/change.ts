import { relative } from "node:path";
import {
  type DiffContent,
  type Location,
  type Permit,
  type ToolContent,
  type ToolContext,
  textPart,
} from "../../../core/index.ts";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { isTooWide, spelledPlace } from "../workspace/roots.ts";
import { isSecret, isSensitive } from "../workspace/sensitive.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import { type Change, type ChangeContext, save } from "./save.ts";

/** Characters on each side up to which a change is shown whole. */
const LARGEST_DIFF = 1024 * 1024;

/** The whole texts, for people; `undefined` when they are too large or no text. */
function diffOf(change: Change, context: ToolContext, tools: FileTools): DiffContent | undefined {
  const { oldText, newText, path } = change;
  if (oldText === undefined || newText.length > LARGEST_DIFF || (oldText?.length ?? 0) > LARGEST_DIFF)
    return undefined;
  return { type: "diff", path: workspaceOf(context.session, tools).locate(path), oldText, newText };
}

export function locationOf({ path, line }: Change, context: ToolContext, tools: FileTools): Location {
  return { path: workspaceOf(context.session, tools).locate(path), line };
}

/** Refuses a change of what the session has not seen in its present form. */
export function checkSeen(
  { realPath, before, path }: Change,
  { session }: ToolContext,
  { seen }: FileTools,
): void {
  if (!seen.isStale(session.id, realPath, before)) return;
  throw toolFailed(`${path} was changed since you last saw it; read it again before you change it`);
}

/** Asks for a change, with everything that it would do. */
export async function permitChange(
  change: Change,
  verb: "edit" | "write",
  { context, tools }: ChangeContext,
): Promise<Permit> {
  // Where there is nothing any more, nothing of somebody else's is overwritten.
  if (change.before !== null) checkSeen(change, context, tools);
  const { session } = context;
  // What is shown now is what may be changed: anything that comes between is refused when the call runs.
  tools.seen.note(session.id, change.realPath, change.before);
  const absolute = workspaceOf(session, tools).locate(change.path);
  const sensitive = isSensitive(change.realPath) || isSensitive(absolute);
  const isWide = isTooWide(session.roots, tools.home);
  const ownRule = sensitive || isWide;
  const root = spelledPlace(absolute, session)?.root;
  const name = relative(session.cwd, absolute) || absolute;
  const diff = diffOf(change, context, tools);
  const what = change.before === null ? "Creates" : "Changes";
  return {
    verdict: "ask",
    harmless: !ownRule,
    command: `${verb} ${name}`,
    description: `${what} ${name}${sensitive ? ", which other programs run or trust" : ""}${diff === undefined ? `. ${sizes(change)} They cannot be shown here.` : ""}`,
    patterns: [ownRule || root === undefined ? `edit:${change.realPath}` : `edit:${root}/**`],
    allowPermanent: !ownRule,
    names: [`edit:${change.realPath}`],
    reasons: [
      sensitive
        ? "changes a file that other programs run or trust"
        : isWide
          ? "changes a file in a folder that holds everything of yours"
          : "changes a file",
    ],
    content: [diff ?? textPart(sizes(change))],
    locations: [locationOf(change, context, tools)],
    // The lines around a change are told, and what is closest to a text that is not there.
    ...(isSecret(change.realPath) || isSecret(absolute) ? { sensitive: true } : {}),
  };
}

function sizes({ newText, oldText }: Change): string {
  const before =
    oldText === undefined
      ? "a file that is no text, or too large to show"
      : `${oldText?.length ?? 0} characters`;
  return `Replaces ${before} by ${newText.length} characters.`;
}

/** Makes the change, unless the file is not what it was any more. */
export async function applyChange(
  change: Change,
  { context, tools }: ChangeContext,
): Promise<readonly ToolContent[]> {
  checkSeen(change, context, tools);
  const saved = await save(change, { context, tools });
  tools.seen.note(context.session.id, change.realPath, saved.mark);
  const diff = diffOf({ ...change, newText: saved.text }, context, tools);
  return diff === undefined ? [textPart(sizes(change))] : [diff];
}
