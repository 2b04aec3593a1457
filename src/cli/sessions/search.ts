import type { Host, TextHit, SearchPage, TextQuery } from "../../core/index.ts";
import { openAgent } from "../../app/compose.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import { counted } from "../../shared/text/counted.ts";
import { formatAge } from "../../shared/text/format.ts";
import { defined } from "../../shared/json/defined.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";
import { sessionJson } from "./sessions.ts";

interface SearchOptions {
  readonly words: readonly string[];
  readonly json: boolean;
  readonly limit: number;
  readonly cursor?: string;
  readonly source?: string;
  readonly children: boolean;
}

/** Milliseconds that the command reads what no other process has read into the index. */
const PATIENCE = 20_000;

/** `agent sessions search`: the sessions in which all words stand, the best first, each with its best place. */
export async function searchCommand(io: Io, options: SearchOptions): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const { words, json, limit, cursor, source, children } = options;
  // What a shell hands over is finished: its last word is a word. A word with blanks in it was quoted.
  const typed = words.map((word) => (/^[^"]*\s[^"]*$/.test(word) ? `"${word}"` : word)).join(" ");
  const query = { words: `${typed} `, limit, includeChildren: children, ...defined({ cursor, source }) };
  const page = await wholeSearch(agent.host, query);
  if (json) return await printJson(io, pageJson(page));
  const color = io.stdout.isTTY === true && (io.env["NO_COLOR"] ?? "") === "";
  const now = Date.now();
  const lines = page.hits.map((hit) => hitLines(hit, { now, color }));
  await write(io.stdout, lines.join("\n") || "Nothing was found.\n");
  if (page.cursor !== undefined)
    await writeLines(io.stderr, `agent: There may be more: --cursor ${page.cursor}\n`);
  if (!page.complete)
    await writeLines(
      io.stderr,
      "agent: Not all was looked through: older sessions are still being read. Search again.\n",
    );
}

/** A search of an index in which nothing is missing, if that can be had in time. */
async function wholeSearch(host: Host, query: TextQuery): Promise<SearchPage> {
  const until = Date.now() + PATIENCE;
  for (;;) {
    const page = await host.search(query);
    if (page.complete || Date.now() > until) return page;
  }
}

const KIND_WORDS = { title: "title", prompt: "asked", answer: "answered", tool: "call" } as const;

function hitLines(
  { session: { id, state }, place, places }: TextHit,
  { now, color }: { readonly now: number; readonly color: boolean },
): string {
  const title = forTerminalLine(state.title || state.preview || "(no prompt yet)");
  const more = places > 1 ? `, ${counted(places, "place")}` : "";
  return `${id}  ${formatAge(now - place.at).padStart(4)}  ${title}${more}\n    ${KIND_WORDS[place.kind]}: ${markedText(place, color)}\n`;
}

/** The place with its words marked: bold on a terminal, else in brackets. */
function markedText({ text, marks }: TextHit["place"], color: boolean): string {
  const [before, after] = color ? ["\u001b[1;4m", "\u001b[22;24m"] : ["[", "]"];
  let line = "";
  let at = 0;
  for (const [from, to] of marks) {
    line += `${forTerminalLine(text.slice(at, from))}${before}${forTerminalLine(text.slice(from, to))}${after}`;
    at = to;
  }
  return line + forTerminalLine(text.slice(at));
}

const pageJson = ({ hits, cursor, complete }: SearchPage) => ({
  hits: hits.map(({ session, place: { kind, seq, at, turnId, text, marks }, places }) => ({
    session: sessionJson(session),
    match: { kind, seq, timestamp: at / 1000, turn_id: turnId ?? null, text, marks },
    places,
  })),
  cursor: cursor ?? null,
  complete,
});
