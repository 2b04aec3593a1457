const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
/** Short names; their first three letters tell which day is meant. */
const SHORT = /^(?:sun|mon|tues?|weds?|thu(?:rs?)?|fri|sat)$/;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const;
const GROUPS: Readonly<Record<string, readonly number[]>> = {
  day: EVERY_DAY,
  daily: EVERY_DAY,
  everyday: EVERY_DAY,
  weekday: [1, 2, 3, 4, 5],
  weekend: [0, 6],
};
const NAMED_TIMES: Readonly<Record<string, readonly [number, number]>> = {
  noon: [12, 0],
  midday: [12, 0],
  midnight: [0, 0],
};
const MORNING = [9, 0] as const;

interface DayPhrase {
  readonly expr: string;
  readonly display: string;
}

/**
 * Reads phrases such as `every monday 9am`, `weekdays at 9am`, `monday, wednesday and friday at 9:30am`. Without a time
 * it is 9 in the morning. `undefined` when it is no such phrase.
 */
export function readDayPhrase(text: string): DayPhrase | undefined {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "" && word !== "and" && word !== "on" && word !== "every" && word !== "each");
  const days = new Set<number>();
  let index = 0;
  for (; index < words.length; index += 1) {
    const found = daysOf(words[index] ?? "");
    if (found === undefined) break;
    for (const day of found) days.add(day);
  }
  if (days.size === 0) return undefined;
  const rest = words.slice(index);
  if (rest[0] === "at") rest.shift();
  const time = rest.length === 0 ? MORNING : readTime(rest.join(""));
  if (time === undefined) return undefined;
  const [hour, minute] = time;
  const sorted = [...days].sort((a, b) => a - b);
  const field = sorted.length === DAYS.length ? "*" : sorted.join(",");
  return {
    expr: `${minute} ${hour} * * ${field}`,
    display: `${daysShown(sorted)} at ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`,
  };
}

function daysOf(word: string): readonly number[] | undefined {
  if (Object.hasOwn(GROUPS, word)) return GROUPS[word];
  const single = word.replace(/s$/, "");
  if (Object.hasOwn(GROUPS, single)) return GROUPS[single];
  const isShort = SHORT.test(word) || SHORT.test(single);
  const day = DAYS.findIndex((name) => name === single || (isShort && name.startsWith(word.slice(0, 3))));
  return day < 0 ? undefined : [day];
}

/** `9am`, `9:30pm`, `14:00`, a bare hour, `noon`, `midday`, `midnight`. */
function readTime(text: string): readonly [hour: number, minute: number] | undefined {
  if (Object.hasOwn(NAMED_TIMES, text)) return NAMED_TIMES[text];
  const match = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(text);
  if (match === null) return undefined;
  const [, hours, minutes = "0", half] = match;
  const minute = Number(minutes);
  const given = Number(hours);
  if (minute > 59 || (half === undefined ? given > 23 : given < 1 || given > 12)) return undefined;
  if (half === undefined) return [given, minute];
  return [(given % 12) + (half === "pm" ? 12 : 0), minute];
}

function daysShown(days: readonly number[]): string {
  const key = days.join(",");
  if (days.length === DAYS.length) return "every day";
  if (key === "1,2,3,4,5") return "weekdays";
  if (key === "0,6") return "weekends";
  return `every ${days.map((day) => DAYS[day] ?? "").join(", ")}`;
}
