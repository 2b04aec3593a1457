import { type Io, write } from "../../app/process/io.ts";
import { counted } from "../../shared/text/counted.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { type KbAtHand, kbThing, withKb } from "./open-kb.ts";

/** `agent kb remove`. @throws HostError `not_found`, `conflict` */
export function removeDocuments(io: Io, { what }: { readonly what: readonly string[] }): Promise<void> {
  return withKb(io, async (at) => {
    for (const word of what) await write(io.stdout, `${forTerminalLine(await remove(io, at, word))}\n`);
  });
}

async function remove(io: Io, at: KbAtHand, word: string): Promise<string> {
  const found = await kbThing(word, at, io);
  switch (found.kind) {
    case "document": {
      const { name, collection } = await at.documents.remove(found.id);
      await at.note("kb.document.removed", found.id, { name, collection });
      return `Removed ${name} from ${collection}.`;
    }
    case "source": {
      const { id, location, collection } = found.source;
      await at.sources.remove(id);
      await at.note("kb.source.removed", id, { location, collection });
      return `Removed ${location} from ${collection}, with all that was read of it.`;
    }
    case "collection": {
      const count = await at.documents.removeCollection(found.name);
      await at.note("kb.collection.removed", found.name, { documents: count });
      return `Removed ${found.name} with ${counted(count, "document")}.`;
    }
  }
}
