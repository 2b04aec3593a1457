import { type Io, write } from "../../app/process/io.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { formatBytes } from "../../shared/text/format.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { fieldLines, printJson } from "../terminal/output.ts";
import { documentNamed, withKb } from "./open-kb.ts";

interface ShowFlags {
  readonly document: string;
  readonly text: boolean;
  readonly json: boolean;
}

/** Characters that are read at a time. */
const AT_ONCE = 200_000;

/** `agent kb show`. @throws HostError `not_found` */
export function showDocument(io: Io, { document: word, text, json }: ShowFlags): Promise<void> {
  return withKb(io, async (at) => {
    const { kb } = at;
    const id = await documentNamed(word, at, io);
    const { document, headings } = await kb.outline(id);
    if (text) {
      for (let from = 1; from <= document.pieces;) {
        const { pieces } = await kb.passage({ id, from, characters: AT_ONCE });
        for (const piece of pieces) await write(io.stdout, `${forTerminal(piece.text)}\n\n`);
        from = (pieces.at(-1)?.piece ?? document.pieces) + 1;
      }
      return;
    }
    if (json) return await printJson(io, { ...document, headings });
    const { addedAt, readAt, triedAt, bytes, note, problem, source, ...rest } = document;
    const when = (at: number | undefined): string | null => (at === undefined ? null : localTime(at));
    const some = { note: note ?? null, problem: problem ?? null, source: source ?? null };
    const times = { added: when(addedAt), read: when(readAt), tried: when(triedAt) };
    await write(io.stdout, fieldLines({ ...rest, size: formatBytes(bytes), ...some, ...times }));
    for (const { heading, piece } of headings)
      await write(
        io.stdout,
        `${forTerminalLine(`${String(piece).padStart(6)}  ${heading || "(before the first heading)"}`)}\n`,
      );
  });
}
