import type { Source } from "../../automation/sources/index.ts";
import { type Io, write } from "../../app/process/io.ts";
import type { KbCollection, KbDocument } from "../../providers/kb/index.ts";
import { counted } from "../../shared/text/counted.ts";
import { formatBytes } from "../../shared/text/format.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";
import { withKb } from "./open-kb.ts";

/** `agent kb list`. */
export function showDocuments(
  io: Io,
  { collection, json }: { readonly collection?: string; readonly json: boolean },
): Promise<void> {
  return withKb(io, async ({ kb, sources: all }) => {
    const isWanted = (each: { readonly collection: string }): boolean =>
      collection === undefined || each.collection === collection;
    const collections = (await kb.collections()).filter(({ name }) => isWanted({ collection: name }));
    const documents = await kb.documents(collection);
    const sources = (await all.list()).filter(isWanted);
    if (json) return await printJson(io, { collections, documents, sources });
    const lines = [
      ...collections.flatMap((each) => [
        collectionLine(each),
        ...documents.filter((document) => document.collection === each.name).map(documentLine),
      ]),
      ...sources.map(sourceLine),
    ];
    const none = "There are no documents. `agent kb add <file|folder|address>` reads some.";
    await write(
      io.stdout,
      lines.length === 0 ? `${none}\n` : lines.map((line) => `${forTerminalLine(line)}\n`).join(""),
    );
  });
}

const collectionLine = ({ name, documents, pieces, failed }: KbCollection): string =>
  `${name}: ${counted(documents, "document")}, ${counted(pieces, "piece")}${failed === 0 ? "" : `, ${failed} failed`}`;

function documentLine({ id, name, state, pieces, bytes, note, problem }: KbDocument): string {
  const facts =
    state === "ready" ? [counted(pieces, "piece"), formatBytes(bytes), note] : [formatBytes(bytes)];
  const words = facts.filter((fact) => fact !== undefined).join(", ");
  return `  ${id}  ${state.padEnd(7)}  ${name} (${words})${problem === undefined ? "" : `: ${problem}`}`;
}

function sourceLine({ id, location, collection, machine, schedule, last }: Source): string {
  const times = schedule === undefined ? "when asked" : schedule.display;
  const where = machine === undefined ? "" : ` on ${machine}`;
  return `${id}  ${location}${where} for ${collection}, read ${times}; ${last === undefined ? "not read yet" : lastWords(last)}`;
}

function lastWords({ at, read, unchanged, failed, problem }: NonNullable<Source["last"]>): string {
  const counts = `${counted(read + unchanged, "document")}${failed === 0 ? "" : `, ${failed} failed`}`;
  return `last at ${localTime(at)}: ${problem ?? counts}`;
}
