import { z } from "zod";
import { camelCased, type PastEvent } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { EVENT_SCHEMAS } from "./event-schemas.ts";
import { badLine, checked } from "./file-lines.ts";
import type { FileValue, Imported } from "./imported.ts";

const Place = z.object({
  type: z.string(),
  seq: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  session_id: z.string(),
  at: z.number().min(0).max(8.64e15),
});

const name = z.string().max(256).nullish();
const Settings = z.object({ provider: name, model: name });
const Start = z.object({
  cwd: z.string().optional(),
  settings: Settings.optional(),
  sensitive: z.literal(true).optional(),
});
const Patch = z.object({ patch: Settings.extend({ cwd: z.string().optional() }) });
const Title = z.object({ title: z.string() });

/** The facts of a session that its newest events decide. */
interface Facts {
  title?: string;
  cwd?: string;
  provider?: string | undefined;
  model?: string | undefined;
  sensitive?: true | undefined;
  answered?: { readonly provider: string; readonly model: string };
}

/** The state of a session holds each of these: more than a person ever makes would slow it down for good. */
const MOST: Readonly<Record<string, number>> = {
  "steer.accepted": 2000,
  "process.complete": 2000,
  "history.undo": 2000,
  "history.compress": 2000,
};

/** Whether a value is an event as `agent sessions export` writes it. */
export const isEventLine = (value: unknown): boolean => Place.safeParse(value).success;

/**
 * Reads the events of one session. Those that are not known, and those of the session's present, are passed over.
 *
 * @throws HostError `invalid_params` with the line
 */
export function readEventFile(lines: readonly FileValue[]): Imported {
  const events: PastEvent[] = [];
  const facts: Facts = {};
  const counts = new Map<string, number>();
  let session: string | undefined;
  for (const { line, value } of lines) {
    // `agent run --schema` adds a line that is no event.
    if (isJsonObject(value) && value["type"] === "structured" && value["seq"] === undefined) continue;
    const { type, seq, session_id: id, at } = checked(Place, value, line);
    session ??= id;
    if (id !== session) throw badLine(line, `it belongs to another session, ${JSON.stringify(id)}`);
    if (seq < (events.at(-1)?.seq ?? 0))
      throw badLine(line, `its seq ${seq} is before that of the line above`);
    const event = camelCased(value);
    note(facts, { type, event, line });
    if (!isPast(type)) continue;
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const most = MOST[type] ?? Number.POSITIVE_INFINITY;
    if (count > most) throw badLine(line, `there are more than ${most} events ${type} before it`);
    const schema: z.ZodType<PastEvent["event"]> = EVENT_SCHEMAS[type];
    const past = checked(schema, event, line);
    events.push({ seq, at: Math.trunc(at), event: past });
    if (past.type === "reply.complete" && past.model !== "")
      facts.answered = { provider: past.provider, model: past.model };
  }
  const { title, cwd, provider, model, answered, sensitive } = facts;
  const chosen = provider !== undefined && model !== undefined ? { provider, model } : answered;
  return {
    past: { events, origin: "agent", ...defined({ originId: session }) },
    ...defined({ title, cwd, model: chosen, sensitive }),
  };
}

const isPast = (type: string): type is PastEvent["event"]["type"] => Object.hasOwn(EVENT_SCHEMAS, type);

function note(
  facts: Facts,
  { type, event, line }: { readonly type: string; readonly event: unknown; readonly line: number },
): void {
  switch (type) {
    case "session.start": {
      const { cwd, settings, sensitive } = checked(Start, event, line);
      Object.assign(facts, defined({ cwd, sensitive }));
      if (settings !== undefined) noteSettings(facts, settings);
      return;
    }
    case "settings.set": {
      const { patch } = checked(Patch, event, line);
      if (patch.cwd !== undefined) facts.cwd = patch.cwd;
      return noteSettings(facts, patch);
    }
    case "title.set":
    case "session.branch":
      facts.title = checked(Title, event, line).title;
      return;
    default:
  }
}

/** An absent key stays as it is, `null` returns to the default. */
function noteSettings(facts: Facts, { provider, model }: z.output<typeof Settings>): void {
  if (provider !== undefined) facts.provider = provider ?? undefined;
  if (model !== undefined) facts.model = model ?? undefined;
}
