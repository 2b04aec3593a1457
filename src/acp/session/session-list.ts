import { HostError } from "../../core/index.ts";
import type { SessionDesk } from "./session-desk.ts";

/** A page of the sessions, in the words of both versions. @throws HostError `invalid_params` for a cursor that no list gave */
export async function listPage(
  { cwd, cursor }: { readonly cwd?: string | null | undefined; readonly cursor?: string | null | undefined },
  desk: SessionDesk,
) {
  const where = cwd === undefined || cwd === null ? {} : { cwd };
  const { sessions, next } = await desk.list({ offset: offsetIn(cursor ?? undefined), ...where });
  return {
    sessions: sessions.map(({ id, state: { cwd: folder, roots, title, preview, activeAt } }) => {
      const others = roots.filter((root) => root !== folder);
      return {
        sessionId: id,
        cwd: folder,
        title: title === "" ? preview || null : title,
        updatedAt: new Date(activeAt).toISOString(),
        ...(others.length === 0 ? {} : { additionalDirectories: others }),
      };
    }),
    ...(next === undefined ? {} : { nextCursor: `after-${next}` }),
  };
}

function offsetIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const offset = /^after-(\d{1,9})$/.exec(cursor)?.[1];
  if (offset !== undefined) return Number(offset);
  throw new HostError("invalid_params", "Invalid params: cursor: it is none that a list gave.", {
    details: { subject: "cursor" },
  });
}
