import type { Knowledge, MemoryFile } from "../../providers/knowledge/index.ts";

/** The files of a memory, in the order in which they are shown. */
const TARGETS = ["memory", "user"] as const;

/** A file of the memory as lists show it. */
export interface ListedMemory {
  readonly target: (typeof TARGETS)[number];
  readonly entries: string[];
  readonly characters: number;
  readonly budget: number;
}

/** What is remembered, by whom or where it is about; the owner's own first, under an empty name. */
export async function memoryList({ memory }: Pick<Knowledge, "memory">) {
  return (await memory.all()).map(({ scope, files }) => ({
    scope,
    files: TARGETS.map((target) => listed(target, files[target])),
  }));
}

/** Takes an entry out; gives the file as it is then. @throws HostError `invalid_params`, `timeout` */
export async function forget(
  { memory }: Pick<Knowledge, "memory">,
  {
    scope,
    target,
    entry,
  }: { readonly scope: string; readonly target: ListedMemory["target"]; readonly entry: string },
  signal: AbortSignal,
): Promise<ListedMemory> {
  const where = { target, scope: scope || undefined, signal };
  return listed(target, await memory.change({ action: "remove", oldText: entry }, where));
}

const listed = (
  target: ListedMemory["target"],
  { entries, size: characters, budget }: MemoryFile,
): ListedMemory => ({ target, entries: [...entries], characters, budget });
