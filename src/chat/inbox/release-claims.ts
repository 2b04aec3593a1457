import type { Records } from "../../core/index.ts";

const PAGE = 1000;

/**
 * Lets go of all that a host works on in a space, so that it is taken up again while the host lives. Nothing of it may be in
 * flight there any more.
 */
export async function releaseClaims(records: Records, space: string, hostId: string): Promise<void> {
  for (let after: number | undefined; ;) {
    const found = await records.list({ space, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const { claim, version, position: _position, ...draft } of found)
      if (claim?.hostId === hostId) await records.replace(draft, version);
    after = found.at(-1)?.position;
    if (found.length < PAGE) return;
  }
}
