import { resolve } from "node:path";
import {
  isAddress,
  type SeenDocument,
  type Source,
  type SourceOutcome,
} from "../../automation/sources/index.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { counted } from "../../shared/text/counted.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";
import { isFolder, type KbAtHand, kbThing, withKb } from "./open-kb.ts";

/** What became of one of the things that were named. */
interface Done {
  readonly what: string;
  readonly source?: Source;
  readonly outcome?: SourceOutcome;
  readonly documents: readonly SeenDocument[];
}

interface AddFlags {
  readonly what: readonly string[];
  readonly collection: string;
  readonly every?: string;
  readonly json: boolean;
}

/** `agent kb add`. The exit code is 1 when something could not be read. @throws HostError `invalid_params`, `conflict` */
export function addDocuments(io: Io, { what, collection, every, json }: AddFlags): Promise<number> {
  return withKb(io, async (at) => {
    const all: Done[] = [];
    for (const word of what) {
      const location = isAddress(word) ? word : resolve(io.cwd, word);
      const isSource = isAddress(word) || every !== undefined || (await isFolder(location));
      if (isSource) {
        const schedule = every === undefined || every === "never" ? {} : { every };
        const source = await at.sources.add({ location, collection, ...schedule });
        if (every === "never") await at.sources.change(source.id, null);
        await at.note("kb.source.added", source.id, { location: source.location, collection, every });
        all.push({ what: word, ...(await readSource(io, at, source)) });
      } else {
        const seen = await at.documents.addFile({ path: location, collection }, at.signal);
        await at.note("kb.document.added", seen.id, {
          origin: seen.origin,
          collection,
          outcome: seen.outcome,
        });
        await tell(io, seen);
        all.push({ what: word, documents: [seen] });
      }
    }
    return await report(io, all, json);
  });
}

/** `agent kb again`. The exit code is 1 when something could not be read. @throws HostError `not_found`, `invalid_params` */
export function readAgain(
  io: Io,
  { what, json }: { readonly what: readonly string[]; readonly json: boolean },
): Promise<number> {
  return withKb(io, async (at) => {
    const all: Done[] = [];
    for (const word of what) all.push({ what: word, ...(await again(io, at, word)) });
    return await report(io, all, json);
  });
}

async function again(io: Io, at: KbAtHand, word: string): Promise<Omit<Done, "what">> {
  const found = await kbThing(word, at, io);
  switch (found.kind) {
    case "source":
      await at.sources.read(found.source.id, true);
      return await readSource(io, at, found.source);
    case "document": {
      const seen = await at.documents.readAgain(found.id, at.signal);
      if ("asked" in seen) return await readSource(io, at, seen.asked);
      await tell(io, seen);
      return { documents: [seen] };
    }
    case "collection": {
      const documents: SeenDocument[] = [];
      for (const source of await at.sources.list()) {
        if (source.collection !== found.name) continue;
        await at.sources.read(source.id, true);
        documents.push(...(await readSource(io, at, source)).documents);
      }
      for (const { id, source, origin } of await at.kb.documents(found.name)) {
        if (source !== undefined || origin.startsWith("upload:")) continue;
        const seen = await at.documents.readAgain(id, at.signal);
        if ("asked" in seen) continue;
        await tell(io, seen);
        documents.push(seen);
      }
      return { documents };
    }
  }
}

/** How often is looked whether another process has finished a reading. */
const LOOK_MS = 200;

/** Reads a source that was asked for, here or by the process that has begun with it. */
async function readSource(io: Io, at: KbAtHand, source: Source): Promise<Omit<Done, "what">> {
  const documents: SeenDocument[] = [];
  const { sources, signal, agent } = at;
  if (sources.isElsewhere(source))
    await write(
      io.stderr,
      `${forTerminalLine(`${source.location} is read on ${source.machine}; waiting for it.`)}\n`,
    );
  await using reader = at.reader((read, seen) => {
    if (read.id !== source.id) return;
    documents.push(seen);
    void tell(io, seen);
  });
  while ((await sources.reading(source.id)) !== undefined) {
    if (signal.aborted) throw new HostError("interrupted", "Stopped. What was read so far can be searched.");
    await reader.pollOnce();
    const over = Promise.withResolvers<void>();
    const cancel = agent.host.services.clock.after(LOOK_MS, over.resolve);
    await Promise.race([over.promise, reader.running > 0 ? reader.idle() : over.promise]);
    cancel();
  }
  const now = await sources.get(source.id);
  return { source: now, documents, ...(now.last !== undefined && { outcome: now.last }) };
}

const tell = (io: Io, { name, outcome, problem, pieces, note }: SeenDocument): Promise<void> => {
  const what = [pieces === undefined ? undefined : counted(pieces, "piece"), note].filter(
    (part) => part !== undefined,
  );
  const more = problem === undefined ? what.join(", ") : problem;
  const line = `${outcome.padEnd(9)}  ${name}${more === "" ? "" : problem === undefined ? ` (${more})` : `: ${more}`}`;
  return write(io.stderr, `${forTerminalLine(line)}\n`);
};

async function report(io: Io, all: readonly Done[], json: boolean): Promise<number> {
  if (json) await printJson(io, all);
  for (const { what, outcome, source, documents } of all) {
    if (json) break;
    const count = (kind: SeenDocument["outcome"]): number =>
      documents.filter((seen) => seen.outcome === kind).length;
    const {
      read = count("read"),
      unchanged = count("unchanged"),
      failed = count("failed"),
      removed = 0,
    } = outcome ?? {};
    const parts = [`${read} read`, `${unchanged} unchanged`, `${failed} failed`, `${removed} removed`];
    const times = source?.schedule === undefined ? "" : `, read again ${source.schedule.display}`;
    const leftOut = outcome?.leftOut === undefined ? "" : ` Left out: ${outcome.leftOut}.`;
    const problem = outcome?.problem === undefined ? "" : ` ${outcome.problem}`;
    const line = `${what}: ${parts.filter((part) => !part.startsWith("0 ")).join(", ") || "nothing to read"}${times}.${leftOut}${problem}`;
    await write(io.stdout, `${forTerminalLine(line)}\n`);
  }
  const isBad = all.some(
    ({ outcome, documents }) =>
      outcome?.problem !== undefined ||
      (outcome?.failed ?? 0) > 0 ||
      documents.some((seen) => seen.outcome === "failed"),
  );
  return isBad ? EXIT.failed : EXIT.completed;
}
