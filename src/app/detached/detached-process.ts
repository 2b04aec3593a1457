import { z } from "zod";
import type { Records } from "../../core/index.ts";

const SPACE = "detached";
/** So many are ever there: each is a process. */
const MOST = 1000;

const Note = z.object({
  /** The process among those that share the home. */
  hostId: z.string(),
  pid: z.number(),
  /** The folder that it was started in. */
  cwd: z.string(),
  /** When it left its terminal. */
  since: z.number(),
  /** When it ends at the latest; absent when nothing bounds it. */
  until: z.number().optional(),
});

/** A process that goes on without a terminal, as it is noted in the home: a short id, to be typed. Unix milliseconds. */
export type DetachedProcess = Readonly<z.output<typeof Note>> & { readonly id: string };

/** Notes that this process goes on without a terminal, until the returned function is called or it dies. */
export async function noteDetached(
  records: Records,
  { id, ...note }: DetachedProcess,
): Promise<() => Promise<void>> {
  await records.put({ space: SPACE, key: id, value: JSON.stringify(note), claim: true });
  return async () => void (await records.remove(SPACE, id));
}

/** The living processes without a terminal, the oldest first. Notes of dead ones are removed. */
export async function listDetached(records: Records): Promise<readonly DetachedProcess[]> {
  const notes = await records.list({ space: SPACE, limit: MOST });
  const living: DetachedProcess[] = [];
  for (const { key, value, claim } of notes) {
    const note = Note.safeParse(JSON.parse(value));
    if (claim?.alive === true && note.success) living.push({ id: key, ...note.data });
    else await records.remove(SPACE, key);
  }
  return living;
}
