import type { NamedUsage, Spread, Store, UsagePart, UsageReport, UsageSums } from "../../core/index.ts";
import { localTime } from "../../shared/text/local-time.ts";

/** The usage of the last days, today among them, as the calendar here has them. */
export interface DailyUsage extends UsageReport {
  readonly days: number;
}

/** @param days - so many, the last one being today */
export async function dailyUsage(
  store: Pick<Store, "usage">,
  { now, days }: { readonly now: number; readonly days: number },
): Promise<DailyUsage> {
  return { ...(await store.usage({ bounds: midnights(now, days) })), days };
}

/** The calendar knows how long the days were. */
function midnights(now: number, days: number): readonly number[] {
  const today = new Date(now);
  const [year, month, date] = [today.getFullYear(), today.getMonth(), today.getDate()];
  return Array.from({ length: days + 1 }, (_, at) => new Date(year, month, date - days + 1 + at).getTime());
}

/** The day as the calendar here has it: `2026-11-22`. */
export const dayOf = (at: number): string => localTime(at).slice(0, 10);

/** Says where turns came from; those of a chat at the terminal say nothing themselves. */
export const surfaceName = ({ name }: Pick<NamedUsage, "name">): string => name || "terminal";

/** A look-up of the user on the roster who goes by a sender's name, as `personName` gives it. */
export type UserOfSender = (name: string) => NamedUser | undefined;

/** A user, by all names under which their turns are added up, and by the one that people read. */
interface NamedUser {
  /** `user:<id>`. */
  readonly key: string;
  readonly name: string;
}

/** The usage of people, each user's names added up to one, under the name that they used most. */
export function joinedPeople(
  people: readonly NamedUsage[],
  userOf: UserOfSender,
): readonly (NamedUsage & { readonly user?: string })[] {
  const all = new Map<string, NamedUsage & { readonly user?: string }>();
  for (const each of people) {
    const user = userOf(each.name);
    const key = user?.key ?? each.name;
    const before = all.get(key);
    all.set(key, {
      ...sum(before, each),
      name: before?.name ?? each.name,
      ...(user === undefined ? {} : { user: user.name }),
    });
  }
  return [...all.values()].toSorted((a, b) => b.input + b.output - (a.input + a.output) || b.turns - a.turns);
}

const sum = (before: NamedUsage | undefined, more: NamedUsage): NamedUsage =>
  before === undefined
    ? more
    : {
        name: more.name,
        sessions: before.sessions + more.sessions,
        turns: before.turns + more.turns,
        calls: before.calls + more.calls,
        input: before.input + more.input,
        output: before.output + more.output,
        reasoning: before.reasoning + more.reasoning,
        cacheRead: before.cacheRead + more.cacheRead,
        cost: before.cost + more.cost,
        unpriced: before.unpriced + more.unpriced,
      };

/** Encodes a report for programs: the newest day first, the largest model first. */
export function encodeDailyUsage(
  { days, total, damaged, complete, ...report }: DailyUsage,
  userOf: UserOfSender = () => undefined,
) {
  return {
    days,
    since: total.since / 1000,
    total: encodePart(total),
    by_day: report.parts.toReversed().map((part) => ({ day: dayOf(part.since), ...encodePart(part) })),
    by_model: report.models.map((each) => ({ model: each.name, ...encodeSums(each) })),
    by_surface: report.surfaces.map((each) => ({ surface: surfaceName(each), ...encodeSums(each) })),
    by_person: joinedPeople(report.people, userOf).map(({ user, ...each }) => ({
      person: each.name,
      ...(user === undefined ? {} : { user }),
      ...encodeSums(each),
    })),
    by_persona: report.personas.map((each) => ({ persona: each.name, ...encodeSums(each) })),
    by_folder: report.folders.map((each) => ({ folder: each.name, ...encodeSums(each) })),
    damaged_sessions: damaged,
    complete,
  };
}

const encodePart = (part: UsagePart) => ({
  ...encodeSums(part),
  questions: part.questions,
  answer_ms: encodeSpread(part.answers),
  question_wait_ms: encodeSpread(part.waits),
});

const encodeSpread = (spread: Spread | undefined) =>
  spread === undefined ? null : { count: spread.count, median: spread.median, p95: spread.late };

const encodeSums = (sums: UsageSums) => ({
  sessions: sums.sessions,
  turns: sums.turns,
  model_calls: sums.calls,
  input_tokens: sums.input,
  output_tokens: sums.output,
  reasoning_tokens: sums.reasoning,
  cache_read_tokens: sums.cacheRead,
  cost_usd: sums.cost,
  unpriced_calls: sums.unpriced,
});
