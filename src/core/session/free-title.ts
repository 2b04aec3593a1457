import { HostError } from "../../shared/errors/host-error.ts";
import type { SessionRecord, Store } from "../ports/store.ts";
import { checkTitle } from "../turn/title.ts";

const NUMBERED = /^(.*?) #(\d+)$/;

/**
 * A title that somebody chose, clean, when no other session has it.
 *
 * @param exceptId - the session that is to have it, and may have it already
 * @throws HostError `invalid_title`
 */
export async function freeTitle(store: Store, text: string, exceptId?: string): Promise<string> {
  const title = checkTitle(text);
  if (!(await isTaken(store, title, exceptId))) return title;
  throw new HostError("invalid_title", `Another session has the title "${title}" already.`);
}

/** The next free numbered variant of a title: `name`, `name #2`, `name #3`. */
export async function forkTitle(store: Store, title: string): Promise<string> {
  if (title === "") return "";
  const [, base = title] = NUMBERED.exec(title) ?? [];
  for (let number = 2; ; number += 1) {
    const candidate = `${base} #${number}`;
    if (!(await isTaken(store, candidate))) return candidate;
  }
}

async function isTaken(store: Store, title: string, exceptId?: string): Promise<boolean> {
  return (await titled(store, title)).some(({ id }) => id !== exceptId);
}

/** The sessions with exactly this title, two at most: there is one, unless two processes gave it at the same moment. */
export function titled(store: Store, title: string): Promise<readonly SessionRecord[]> {
  return store.list({
    title,
    limit: 2,
    offset: 0,
    includeChildren: true,
    includeEmpty: true,
    archived: "include",
  });
}
