import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import type { Kb, KbDocument } from "../../providers/kb/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { SeenDocument, Source } from "./source.ts";
import { isAddress, type Sources } from "./sources.ts";
import { readOneFile } from "./visit-folder.ts";

/** The parts that documents are changed with. */
export interface SourceDocumentsParts {
  readonly sources: Sources;
  readonly library: () => Promise<Kb>;
  readonly clock: Pick<Clock, "now">;
}

/** The documents of a home, whichever source they come from: added one by one, read again, removed for good. */
export class SourceDocuments {
  readonly #parts: SourceDocumentsParts;

  constructor(parts: SourceDocumentsParts) {
    this.#parts = parts;
  }

  /** Reads a file by itself. @throws HostError `invalid_params` when it is not there, `interrupted` */
  async addFile(
    file: { readonly path: string; readonly collection: string },
    signal: AbortSignal,
  ): Promise<SeenDocument> {
    const { clock } = this.#parts;
    return await readOneFile(file, { library: await this.#parts.library(), clock, signal });
  }

  /**
   * Reads a document again, also when it has not changed.
   *
   * @returns what became of it, or the source that was asked for: whichever process serves the home reads that
   * @throws HostError `not_found`; `invalid_params` for one that was uploaded, or whose file is not there any more
   */
  async readAgain(id: string, signal: AbortSignal): Promise<SeenDocument | { readonly asked: Source }> {
    const { sources, clock } = this.#parts;
    const library = await this.#parts.library();
    const { origin, name, collection, source } = await library.document(id);
    if (source !== undefined && isAddress(origin)) {
      await sources.read(source, true);
      return { asked: await sources.get(source) };
    }
    if (!isPath(origin))
      throw new HostError(
        "invalid_params",
        `${name} was uploaded, and only its text is kept. Upload the file again.`,
      );
    const file = { path: origin, name, collection, again: true, ...defined({ source }) };
    return await readOneFile(file, { library, clock, signal });
  }

  /** Removes documents; what a source would read again is left out there from now on. @throws HostError `not_found` */
  async remove(id: string): Promise<KbDocument> {
    const { sources } = this.#parts;
    const library = await this.#parts.library();
    const document = await library.document(id);
    const found = await this.#sourceOf(document);
    if (found?.kind === "folder") await sources.exclude(found.id, document.origin);
    else if (found !== undefined) await sources.remove(found.id);
    await library.remove([id]);
    return document;
  }

  /** Removes a collection with its sources; gives how many documents it had. @throws HostError `not_found` */
  async removeCollection(name: string): Promise<number> {
    const { sources } = this.#parts;
    const library = await this.#parts.library();
    const own = (await sources.list()).filter(({ collection }) => collection === name);
    const documents = await library.documents(name);
    if (own.length === 0 && documents.length === 0)
      throw new HostError(
        "not_found",
        `There is no collection ${visibleInLine(name)}. \`agent kb list\` lists those that there are.`,
      );
    for (const { id } of own) await sources.remove(id);
    await library.remove(documents.map(({ id }) => id));
    return documents.length;
  }

  async #sourceOf({ source }: KbDocument): Promise<Source | undefined> {
    if (source === undefined) return undefined;
    return (await this.#parts.sources.list()).find(({ id }) => id === source);
  }
}

const isPath = (origin: string): boolean => !isAddress(origin) && !origin.startsWith("upload:");
