import {
  readTimeline,
  type TimeSpan,
  SPAN_KINDS,
  type SpanKind,
  type TurnTimeline,
  type Usage,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { placeWords } from "../../shared/text/surface-words.ts";
import { encodeTurnTimeline } from "../../rpc/encode/timeline.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { cost, count, duration } from "../../tui/text/figures.ts";
import { openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import { printJson } from "../terminal/output.ts";
import { foundSession } from "./sessions.ts";

interface TimelineOptions {
  readonly id: string;
  readonly limit: number;
  readonly before?: number;
  readonly json: boolean;
}

/** `agent sessions timeline`: where the time of a session's turns went. */
export async function printTimeline(io: Io, { id, limit, before, json }: TimelineOptions): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const session = await foundSession(io, agent.host, id);
  const { store, clock } = agent.host.services;
  const options = { limit: Math.max(1, limit), now: clock.now(), ...defined({ before }) };
  const page = await readTimeline(store, session, options);
  if (json)
    return await printJson(io, {
      id: session.id,
      turns: page.turns.map(encodeTurnTimeline),
      before: page.before ?? null,
    });
  for (const turn of page.turns) await write(io.stdout, turnText(turn, clock.now()));
  if (page.turns.length === 0) await write(io.stdout, "Nothing was asked in this session yet.\n");
  if (page.before !== undefined) await write(io.stdout, `Older turns: --before ${page.before}\n`);
}

/** What stands for a kind in a bar; each looks different without colour too. */
const GLYPHS: Readonly<Record<SpanKind, string>> = {
  crash: "x",
  compaction: "=",
  model: "█",
  tool: "▓",
  subagent: "▒",
  waiting: "░",
  retry: "~",
  host: "·",
};

const BAR = 60;
const SHORT_BAR = 20;

function turnText(turn: TurnTimeline, now: number): string {
  const { startedAt, endedAt = now, queuedAt, outcome, reason, error, stoppedBy, totals } = turn;
  const length = Math.max(1, endedAt - startedAt);
  const why = error?.message ?? reason ?? (stoppedBy === undefined ? "" : `by ${placeWords(stoppedBy)}`);
  const waited =
    queuedAt === undefined || queuedAt >= startedAt ? "" : `, queued ${took(startedAt - queuedAt)} before`;
  const shares = SPAN_KINDS.flatMap((kind) =>
    totals[kind] === 0
      ? []
      : [`${GLYPHS[kind]} ${kind} ${took(totals[kind])} (${Math.round((100 * totals[kind]) / length)} %)`],
  );
  return [
    "",
    `${localTime(startedAt)}  ${outcome ?? "running"} in ${took(length)}${waited}${turn.takenBack ? ", taken back" : ""}${usageWords(turn.usage)}`,
    `> ${forTerminalLine(turn.text.slice(0, 200))}`,
    ...(why === "" ? [] : [forTerminalLine(why)]),
    `|${bar(turn.segments, { start: startedAt, length, width: BAR })}|`,
    ...(shares.length === 0 ? [] : [shares.join("  ")]),
    ...turn.spans.map((span) => spanLine(span, { start: startedAt, end: endedAt, length })),
    "",
  ].join("\n");
}

interface Window {
  readonly start: number;
  readonly length: number;
  readonly width: number;
}

/** Each column shows what most of its time went into. */
function bar(
  parts: readonly { readonly kind: SpanKind; readonly start: number; readonly end: number }[],
  { start, length, width }: Window,
): string {
  return Array.from({ length: width }, (_, column) => {
    const from = start + (column * length) / width;
    const to = start + ((column + 1) * length) / width;
    let [most, glyph] = [0, " "];
    for (const part of parts) {
      const within = Math.min(part.end, to) - Math.max(part.start, from);
      if (within > most) [most, glyph] = [within, GLYPHS[part.kind]];
    }
    return glyph;
  }).join("");
}

function spanLine(
  span: TimeSpan,
  { start, end, length }: { readonly start: number; readonly end: number; readonly length: number },
): string {
  const until = span.end ?? end;
  const goesOn = span.end === undefined ? "+" : " ";
  const drawn = bar([{ kind: span.kind, start: span.start, end: until }], {
    start,
    length,
    width: SHORT_BAR,
  });
  const at = `+${took(span.start - start)}`.padStart(9);
  return `${at} ${took(until - span.start).padStart(8)}${goesOn} |${drawn}| ${span.kind.padEnd(10)} ${forTerminalLine(aboutSpan(span))}`.trimEnd();
}

/** What there is to say about a span, beside its time. */
function aboutSpan(span: TimeSpan): string {
  switch (span.kind) {
    case "model": {
      const name = span.model === undefined ? "" : `${span.provider ?? ""}:${span.model}`;
      const first = span.firstAt === undefined ? "" : `, first text after ${took(span.firstAt - span.start)}`;
      const used = span.usage === undefined ? "" : usageWords(span.usage);
      return `${name}${first}${used}${span.failure === undefined ? "" : ` failed: ${span.failure}`}`;
    }
    case "retry":
      return `before try ${span.attempt + 1}: ${span.failure}`;
    case "tool":
      return `${span.name}: ${span.label}${span.outcome === undefined || span.outcome === "ok" ? "" : `, ${span.outcome}`}`;
    case "waiting": {
      const end = span.outcome === "answered" ? (span.choice ?? "answered") : (span.outcome ?? "still open");
      const by = span.by === undefined ? "" : ` from ${placeWords(span.by.surface)}`;
      return `${span.question}: ${span.about}; asked at ${placeWords(span.asked.surface)}, ${end}${by}`;
    }
    case "compaction":
      return span.failure ?? `${span.tokensBefore ?? 0} tokens became ${span.tokensAfter ?? 0}`;
    case "subagent":
      return `${span.goal} (${span.childId})${span.status === undefined ? "" : `, ${span.status}`}`;
    case "crash":
      return `the process died in this time, at ${span.during}`;
  }
}

const took = (ms: number): string => duration(ms / 1000);

function usageWords({ calls, input, output, cost: dollars }: Usage): string {
  if (calls === 0) return "";
  const price = cost(dollars);
  return `, ${count(input)} tokens in, ${count(output)} out${price === "" ? "" : `, ${price}`}`;
}
