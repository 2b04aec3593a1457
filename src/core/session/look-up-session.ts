import { HostError } from "../../shared/errors/host-error.ts";
import { formatAge } from "../../shared/text/format.ts";
import { sessionNotFound } from "../log/errors.ts";
import type { ListQuery } from "../ports/session-list.ts";
import type { SessionRecord, Store } from "../ports/store.ts";
import type { Platform } from "../events/prompt.ts";

/** The session that some words name. */
export interface FoundSession {
  readonly record: SessionRecord;
  /** Other sessions with the same title, the newest activity first: the newest of all was taken. */
  readonly sameTitle: readonly SessionRecord[];
}

/** Fewer characters of an id name nothing: too many sessions begin so. */
const SHORTEST = 3;
/** Candidates that a message names. */
const NAMED = 5;

/** A query for sessions of every kind but hidden ones. */
export const ANY_SESSION: Omit<ListQuery, "limit"> = {
  offset: 0,
  includeChildren: true,
  includeEmpty: true,
  archived: "include",
};

/**
 * Finds the session with an id, else the newest one with exactly a title, else the only one whose id begins so. The last
 * part of an id, after the time, counts as a beginning too.
 *
 * @throws HostError `session_not_found`; `conflict` with the candidates when several ids begin so
 */
export async function lookUpSession(
  { store, clock }: { readonly store: Store; readonly clock: { now(): number } },
  words: string,
): Promise<FoundSession> {
  const record = await store.record(words);
  if (record !== undefined) return { record, sameTitle: [] };
  const [newest, ...sameTitle] = await store.list({ ...ANY_SESSION, title: words, limit: 20 });
  if (newest !== undefined) return { record: newest, sameTitle };
  if (words.length < SHORTEST) throw sessionNotFound(words);
  const [first, ...others] = await store.list({ ...ANY_SESSION, idPart: words, limit: 100 });
  if (first === undefined) throw sessionNotFound(words);
  if (others.length > 0) throw ambiguous(words, [first, ...others], clock.now());
  return { record: first, sameTitle: [] };
}

/** The sentence that says which of several sessions with one title was taken; empty when there is only one. */
export function sameTitleNote({ record, sameTitle }: FoundSession): string {
  if (sameTitle.length === 0) return "";
  const others = sameTitle.slice(0, NAMED).map(({ id }) => id);
  const more = sameTitle.length > NAMED ? ", …" : "";
  return `${sameTitle.length + 1} sessions have the title "${record.state.title}": this is the newest, ${record.id}. Others: ${others.join(", ")}${more}.`;
}

function ambiguous(words: string, candidates: readonly SessionRecord[], now: number): HostError {
  const named = candidates.slice(0, NAMED).map(({ id, state }) => {
    const title = state.title || state.preview;
    return `${id} (${title === "" ? "" : `"${title}", `}${formatAge(now - state.activeAt)})`;
  });
  const more = candidates.length > NAMED ? `, and ${candidates.length - NAMED} more` : "";
  return new HostError(
    "conflict",
    `"${words}" may be each of ${candidates.length} sessions: ${named.join(", ")}${more}. Type more of the id.`,
    { details: { subject: words } },
  );
}

/** Platforms whose sessions nobody talks in: a person does not go on in one by itself. */
const UNATTENDED: ReadonlySet<Platform> = new Set(["webhook", "job"]);
/** So many of the newest sessions are looked at. */
const LOOKED_AT = 50;

/** The two ways in which a person goes on with a session: in a client such as the terminal's, or with `agent run`. */
const WAYS = {
  client: { platform: "tui", surface: "gateway" },
  run: { platform: "cli", surface: "cli" },
} as const satisfies Record<string, { readonly platform: Platform; readonly surface: string }>;

/** The newest session to go on with. */
export interface NewestSession {
  readonly record: SessionRecord;
  /** It was had in the way that was asked for; there is none of those otherwise. */
  readonly isOfWay: boolean;
}

/**
 * The newest session of a folder, or of any, that a person had in a client or with `agent run`; without one, the newest
 * that anybody but a webhook or a job had. `undefined` when there is none.
 */
export async function newestSession(
  store: Store,
  way: keyof typeof WAYS,
  cwd?: string,
): Promise<NewestSession | undefined> {
  const { platform, surface } = WAYS[way];
  const query = { limit: LOOKED_AT, offset: 0, ...(cwd === undefined ? {} : { cwd }) };
  const [begunSo, all] = await Promise.all([store.list({ ...query, platform }), store.list(query)]);
  const usable = all.filter(({ state, damaged }) => !damaged && !UNATTENDED.has(state.platform));
  // One that began elsewhere counts too, once it was gone on with in this way.
  const ofWay = [...begunSo.filter(({ damaged }) => !damaged), ...usable].filter(
    ({ state }) => state.platform === platform || state.surfaces.includes(surface),
  );
  const [record] = ofWay.toSorted((a, b) => b.state.activeAt - a.state.activeAt);
  if (record !== undefined) return { record, isOfWay: true };
  return usable[0] === undefined ? undefined : { record: usable[0], isOfWay: false };
}
