import { textPart, type UserPart } from "../events/content.ts";
import { steerIdOf } from "../events/prompt.ts";
import { decodeRow } from "../log/row-codec.ts";
import { rowsBackwards } from "../log/rows-backwards.ts";
import type { SessionState } from "../state/state.ts";
import type { Store } from "../ports/store.ts";
import type { StoredRow } from "../ports/stored-row.ts";
import { type Accepted, promptPlace } from "./prompt-operations.ts";

const PAGE_ROWS = 250;
/** So many of the newest rows are looked through for a prompt that is over. */
const MOST_ROWS = 1000;

/** A prompt that a session has taken: where it is now, or what became of it. */
export interface FoundPrompt extends Pick<Accepted, "after" | "position"> {
  /** `started` also when its turn is over, `dropped` when somebody took it back before. */
  readonly status: Accepted["status"] | "dropped";
  readonly parts: readonly UserPart[];
}

/** The session in which a prompt is looked for, with its newest state. */
interface LookedThrough {
  readonly id: string;
  readonly state: SessionState;
}

/** Finds a prompt that waits or runs, or that came among the newest rows of its session. */
export async function findPrompt(
  store: Pick<Store, "readBefore">,
  session: LookedThrough,
  promptId: string,
): Promise<FoundPrompt | undefined> {
  const { turn, queue } = session.state;
  const place = promptPlace(session.state, promptId);
  if (place?.status === "started") return { ...place, parts: turn?.prompt.parts ?? [] };
  const inLog = await promptInLog(store, session, promptId);
  if (place === undefined) return inLog;
  const parts = queue.find(({ prompt }) => prompt.id === promptId)?.prompt.parts ?? [];
  return { ...place, parts, after: inLog?.after ?? place.after };
}

async function promptInLog(
  store: Pick<Store, "readBefore">,
  { id, state }: LookedThrough,
  promptId: string,
): Promise<FoundPrompt | undefined> {
  let read = 0;
  for await (const row of rowsBackwards(store, id, { before: state.seq + 1, pageRows: PAGE_ROWS })) {
    // What is before was said in another session.
    if (row.type === "session.branch" || row.type === "session.import") return undefined;
    const found = promptOf(row, promptId);
    if (found !== undefined) return found;
    read += 1;
    if (read === MOST_ROWS) return undefined;
  }
  return undefined;
}

const TOLD_BY: ReadonlySet<string> = new Set([
  "turn.start",
  "prompt.queued",
  "prompt.dropped",
  "steer.accepted",
]);

/** What a row tells of a prompt; the newest one that tells of it counts. */
function promptOf(row: StoredRow, promptId: string): FoundPrompt | undefined {
  if (!TOLD_BY.has(row.type)) return undefined;
  const { event, seq } = decodeRow(row);
  const place = { after: seq - 1, position: 0 };
  switch (event.type) {
    case "turn.start":
    case "prompt.queued": {
      const { id, parts } = event.prompt;
      const status = event.type === "turn.start" ? "started" : "queued";
      return id === promptId ? { ...place, status, parts } : undefined;
    }
    case "prompt.dropped":
      return event.promptIds.includes(promptId) ? { ...place, status: "dropped", parts: [] } : undefined;
    case "steer.accepted":
      if (event.steerId !== steerIdOf(promptId)) return undefined;
      return { ...place, status: "steered", parts: [textPart(event.text)] };
    default:
      return undefined;
  }
}
