import { isAbsolute, resolve } from "node:path";
import { interruptionOf, type Session, type SessionState } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { invalidParam } from "../connection/request-error.ts";
import type { ClientSessions } from "./client-sessions.ts";

/** The params of `session/list`. */
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

/** Answers `session/list`. @throws HostError `invalid_params` for a cursor that no list gave, or an unknown filter */
export async function sessionPage({ cwd, cursor, archived }: ListParams, open: ClientSessions) {
  const offset = offsetIn(cursor ?? undefined);
  const folder = cwd === undefined || cwd === null ? {} : { cwd: isAbsolute(cwd) ? resolve(cwd) : cwd };
  const query: SessionQuery = { offset, ...folder, ...filterIn(archived ?? undefined) };
  const records = await open.host.list({ limit: PAGE + 1, ...query });
  const shown = records.slice(0, PAGE);
  const fresh =
    offset === 0 && query.archived !== "only" ? freshIn(open, query, new Set(shown.map(({ id }) => id))) : [];
  return {
    sessions: [...fresh, ...shown].map(({ id, state }) => sessionInfo(id, state)),
    ...(records.length > PAGE ? { nextCursor: `after-${offset + PAGE}` } : {}),
  };
}

/** The sessions without a prompt: they are listed only for the client that opened them. */
function freshIn(
  open: ClientSessions,
  { cwd }: SessionQuery,
  shown: ReadonlySet<string>,
): readonly Session[] {
  return open
    .opened()
    .filter(
      ({ id, state }) => !shown.has(id) && state.preview === "" && (cwd === undefined || state.cwd === cwd),
    );
}

function sessionInfo(id: string, state: SessionState) {
  const { cwd, roots, title, preview, activeAt, archived } = state;
  const interrupted = interruptionOf(state);
  const others = roots.filter((root) => root !== cwd);
  return {
    sessionId: id,
    cwd,
    updatedAt: new Date(activeAt).toISOString(),
    ...defined({
      title: title || preview || undefined,
      additionalDirectories: others.length === 0 ? undefined : others,
      archived: archived === true ? archived : undefined,
      _meta: interrupted === undefined ? undefined : { interrupted },
    }),
  };
}

function filterIn(archived: string | undefined): Pick<SessionQuery, "archived"> {
  if (archived === undefined || archived === "exclude") return {};
  if (archived === "include" || archived === "only") return { archived };
  throw invalidParam("archived", "it is exclude, include or only");
}

function offsetIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const offset = /^after-(\d{1,9})$/.exec(cursor)?.[1];
  if (offset !== undefined) return Number(offset);
  throw invalidParam("cursor", "it is none that a list gave");
}
