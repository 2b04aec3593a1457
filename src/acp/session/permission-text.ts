import { questionText, textPart, type ToolContent } from "../../core/index.ts";
import { ruleWords } from "../../shared/text/rule-words.ts";
import { cutVisibly, visibleInLine } from "../../shared/text/visible.ts";
import { fenced } from "../projection/content-blocks.ts";
import type { PermissionQuestion } from "./client-peer.ts";
import { isShortScope } from "./permission-options.ts";

/** More of a command than this makes editors slow; the middle is cut out, and that is said. */
const LONGEST_COMMAND = 100_000;

/** Makes the text with which a client asks for a permission, for all versions of the protocol; the title is one line. */
export function permissionText({ request, call }: PermissionQuestion) {
  const { content: own = [] } = request;
  const { words: about, exact: command, patterns } = questionText(request);
  const rest = "the terminal client, `agent`, shows the whole question";
  const exact = cutVisibly(command, { most: LONGEST_COMMAND, rest });
  const title = visibleInLine(call?.title ?? request.command);
  const scope = isShortScope(patterns)
    ? ""
    : `\nAn answer for longer covers: ${patterns.map((each) => `${each} (${ruleWords(each)})`).join(", ")}`;
  const seen = (own.length > 0 ? own : (call?.content ?? [])).filter(({ type }) => type !== "text");
  const isSaid = seen.length > 0 && title.toLowerCase() === exact.toLowerCase();
  // Changes and images, then the exact command.
  const content: readonly ToolContent[] = [...seen, ...(isSaid ? [] : [textPart(fenced(exact))])];
  return { title, exact, words: `${about}${scope}`, content };
}
