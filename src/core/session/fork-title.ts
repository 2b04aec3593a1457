import type { Store } from "../ports/store.ts";

const NUMBERED = /^(.*?) #(\d+)$/;

/** The next numbered variant of a title that no session has: `name`, `name #2`, `name #3`. */
export async function forkTitle(store: Store, title: string): Promise<string> {
  if (title === "") return "";
  const [, base = title] = NUMBERED.exec(title) ?? [];
  for (let number = 2; ; number += 1) {
    const candidate = `${base} #${number}`;
    if (!(await isTaken(store, candidate))) return candidate;
  }
}

async function isTaken(store: Store, title: string): Promise<boolean> {
  const titled = await store.list({
    title,
    limit: 1,
    offset: 0,
    includeChildren: true,
    includeEmpty: true,
    archived: "include",
  });
  return titled.length > 0;
}
