import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { DurableEvent } from "../events/events.ts";
import { decodeRow } from "../log/row-codec.ts";
import { rowsBackwards } from "../log/rows-backwards.ts";
import { foldAll } from "../state/fold.ts";
import type { SessionState } from "../state/state.ts";
import type { Store } from "../ports/store.ts";
import { checkTitle } from "../turn/title.ts";
import { ANY_SESSION } from "./look-up-session.ts";
import type { BranchOptions } from "./open-options.ts";
import { checkpointAt } from "./rewind.ts";
import type { SessionActor } from "./session-actor.ts";

/**
 * Plans the copy of a session up to its last ended turn, or up to an earlier one: the part that is copied, and the event
 * with which the copy goes on. Of a damaged session, turns count that ended before the damage.
 *
 * @throws HostError `nothing_to_branch`, `invalid_title`
 */
export async function planBranch(
  store: Store,
  actor: SessionActor,
  { at, before, evenEmpty = before !== undefined, title: wanted, hidden, source }: BranchOptions,
): Promise<{ readonly past: SessionState; readonly event: DurableEvent }> {
  const now = await readableState(store, actor);
  const earlier = before === undefined ? undefined : (await checkpointAt(actor, before)).before;
  const end = earlier ?? at ?? now.turn?.from;
  const past = end === undefined ? now : foldAll(await actor.log.rows(0, end));
  const isEmpty = past.counts.turns === 0 && !evenEmpty;
  if (isEmpty || past.turn !== undefined)
    throw new HostError("nothing_to_branch", "The session has no ended turn to branch from.");
  const title = wanted === undefined ? await forkTitle(store, now.title) : checkTitle(wanted);
  const { user } = now;
  const given = defined({ hidden, source, user });
  return { past, event: { type: "session.branch", parentId: actor.id, title, ...given } };
}

const PAGE_ROWS = 250;

/** Gives the newest state of a session; that before the damage of one that cannot be read to its end. */
async function readableState(store: Store, actor: SessionActor): Promise<SessionState> {
  try {
    return await actor.refresh();
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "session_damaged") throw thrown;
    const newestFirst = rowsBackwards(store, actor.id, {
      before: Number.MAX_SAFE_INTEGER,
      pageRows: PAGE_ROWS,
    });
    return foldAll((await Array.fromAsync(newestFirst, decodeRow)).toReversed());
  }
}

const NUMBERED = /^(.*?) #(\d+)$/;

/** The next numbered variant of a title that no session has: `name`, `name #2`, `name #3`. */
async function forkTitle(store: Store, title: string): Promise<string> {
  if (title === "") return "";
  const [, base = title] = NUMBERED.exec(title) ?? [];
  for (let number = 2; ; number += 1) {
    const candidate = `${base} #${number}`;
    const [taken] = await store.list({ ...ANY_SESSION, title: candidate, limit: 1 });
    if (taken === undefined) return candidate;
  }
}
