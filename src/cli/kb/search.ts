import { type Io, write } from "../../app/process/io.ts";
import { collectionsOfPersona } from "../../app/people/persona-collections.ts";
import { citedPlace } from "../../providers/kb/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";
import { withKb } from "./open-kb.ts";

interface SearchFlags {
  readonly words: readonly string[];
  readonly collection?: readonly string[];
  readonly persona?: string;
  readonly limit: number;
  readonly json: boolean;
}

/** `agent kb search`. @throws HostError `not_found` for a persona that is not there, `invalid_params` */
export function searchDocuments(
  io: Io,
  { words, collection, persona, limit, json }: SearchFlags,
): Promise<void> {
  return withKb(io, async ({ kb, agent }) => {
    const seen = persona === undefined ? undefined : await collectionsOfPersona(agent, persona);
    const wanted =
      collection === undefined
        ? seen
        : collection.filter((name) => seen === undefined || seen.includes(name));
    const within = wanted === undefined ? {} : { collections: wanted };
    const found = await kb.search({ words: words.join(" "), limit, ...within });
    if (json) return await printJson(io, found);
    if (found.length === 0) return await write(io.stdout, "No document says anything about it.\n");
    for (const [at, hit] of found.entries()) {
      const { collection: where, document, piece, text } = hit;
      const place = `[${at + 1}] ${citedPlace(hit)} (${where}; ${document}, piece ${piece})`;
      await write(io.stdout, `${forTerminalLine(place)}\n${forTerminal(text)}\n\n`);
    }
  });
}
