import type { Store } from "./store.ts";

const NUMBERED = /^(.*?) #(\d+)$/;

/** The next free numbered variant of a title: `name`, `name #2`, `name #3`. */
export async function forkTitle(store: Store, title: string): Promise<string> {
  if (title === "") return "";
  const [, base = title] = NUMBERED.exec(title) ?? [];
  for (let number = 2; ; number += 1) {
    const candidate = `${base} #${number}`;
    if (!(await isTaken(store, candidate))) return candidate;
  }
}

/** Some other session has exactly this title. */
export async function isTaken(store: Store, title: string, exceptId?: string): Promise<boolean> {
  const found = await store.list({
    title,
    limit: 2,
    offset: 0,
    includeChildren: true,
    includeEmpty: true,
    archived: "include",
  });
  return found.some(({ id }) => id !== exceptId);
}
