import { isAbsolute, resolve } from "node:path";
import type { Session, SessionState } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ClientSessions } from "./client-sessions.ts";

/** Which sessions, as both versions ask for them. */
export interface ListParams {
  readonly cwd?: string | null | undefined;
  readonly cursor?: string | null | undefined;
  readonly archived?: string | null | undefined;
}

interface SessionQuery {
  readonly offset: number;
  readonly cwd?: string;
  /** Archived sessions too, or only those. */
  readonly archived?: "include" | "only";
}

const PAGE = 50;

/**
 * A page of the sessions, in the words of both versions.
 *
 * @throws HostError `invalid_params` for a cursor that no list gave, or a filter that there is not
 */
export async function sessionPage({ cwd, cursor, archived }: ListParams, desk: ClientSessions) {
  const offset = offsetIn(cursor ?? undefined);
  const folder = cwd === undefined || cwd === null ? {} : { cwd: isAbsolute(cwd) ? resolve(cwd) : cwd };
  const query: SessionQuery = { offset, ...folder, ...filterIn(archived ?? undefined) };
  const records = await desk.host.list({ limit: PAGE + 1, ...query });
  const shown = records.slice(0, PAGE);
  const fresh =
    offset === 0 && query.archived !== "only" ? freshIn(desk, query, new Set(shown.map(({ id }) => id))) : [];
  return {
    sessions: [...fresh, ...shown].map(({ id, state }) => sessionInfo(id, state)),
    ...(records.length > PAGE ? { nextCursor: `after-${offset + PAGE}` } : {}),
  };
}

/** Sessions without a prompt are in no list, but for whoever has them open. */
function freshIn(
  desk: ClientSessions,
  { cwd }: SessionQuery,
  shown: ReadonlySet<string>,
): readonly Session[] {
  return desk
    .opened()
    .filter(
      ({ id, state }) => !shown.has(id) && state.preview === "" && (cwd === undefined || state.cwd === cwd),
    );
}

function sessionInfo(id: string, { cwd, roots, title, preview, activeAt, archived }: SessionState) {
  const others = roots.filter((root) => root !== cwd);
  return {
    sessionId: id,
    cwd,
    title: title === "" ? preview || null : title,
    updatedAt: new Date(activeAt).toISOString(),
    ...(others.length === 0 ? {} : { additionalDirectories: others }),
    ...(archived === true ? { archived } : {}),
  };
}

function filterIn(archived: string | undefined): Pick<SessionQuery, "archived"> {
  if (archived === undefined || archived === "exclude") return {};
  if (archived === "include" || archived === "only") return { archived };
  throw new HostError("invalid_params", "Invalid params: archived: it is exclude, include or only.", {
    details: { subject: "archived" },
  });
}

function offsetIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const offset = /^after-(\d{1,9})$/.exec(cursor)?.[1];
  if (offset !== undefined) return Number(offset);
  throw new HostError("invalid_params", "Invalid params: cursor: it is none that a list gave.", {
    details: { subject: "cursor" },
  });
}
