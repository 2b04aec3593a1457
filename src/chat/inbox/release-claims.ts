import type { Records } from "../../core/index.ts";

const PAGE = 1000;

/**
 * Lets go of all that this process works on in a space, so that it is taken up again while the process lives. Nothing of
 * it may be in flight any more, and no other process may work there.
 */
export async function releaseClaims(records: Records, space: string): Promise<void> {
  for (let after: number | undefined; ;) {
    const found = await records.list({ space, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const { claim, version, position: _position, ...draft } of found)
      if (claim?.alive === true) await records.replace(draft, version);
    after = found.at(-1)?.position;
    if (found.length < PAGE) return;
  }
}
