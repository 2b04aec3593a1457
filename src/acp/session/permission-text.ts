import { questionText, textPart, type ToolContent } from "../../core/index.ts";
import { ruleWords } from "../../shared/text/rule-words.ts";
import { cutVisibly, visibleInLine } from "../../shared/text/visible.ts";
import { fenced } from "../projection/content-blocks.ts";
import type { PermissionQuestion } from "./client-peer.ts";
import { isShortScope } from "./permission-options.ts";

/** More of a command than this makes editors slow; the middle is cut out, and that is said. */
const LONGEST_COMMAND = 100_000;

/** The text of a permission request, for all versions of the protocol. */
export interface PermissionText {
  /** One line. */
  readonly title: string;
  readonly exact: string;
  readonly words: string;
  /** Changes and images, then the exact command. */
  readonly content: readonly ToolContent[];
}

/** Makes the text with which a client asks for a permission. */
export function permissionText({ request, call }: PermissionQuestion): PermissionText {
  const { content: own = [] } = request;
  const { words: about, exact: command, patterns } = questionText(request);
  const rest = "the terminal client, `agent`, shows the whole question";
  const exact = cutVisibly(command, { most: LONGEST_COMMAND, rest });
  const title = visibleInLine(call?.title ?? request.command);
  const scope = isShortScope(patterns)
    ? ""
    : `\nAn answer for longer covers: ${patterns.map((each) => `${each} (${ruleWords(each)})`).join(", ")}`;
  const words = `${about}${scope}`;
  const seen = (own.length > 0 ? own : (call?.content ?? [])).filter(({ type }) => type !== "text");
  const isSaid = seen.length > 0 && title.toLowerCase() === exact.toLowerCase();
  return {
    title,
    exact,
    words,
    content: [...seen, ...(isSaid ? [] : [textPart(fenced(exact))])],
  };
}
