const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(zone, format);
  return format;
}

/** Whether the name is a time zone that this machine knows. */
export function isZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    // The constructor's way to say that there is no such zone.
    return false;
  }
}

/** Milliseconds by which a zone's clocks are ahead of UTC at a moment. */
function offsetAt(at: number, zone: string): number {
  const seconds = Math.floor(at / 1000) * 1000;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(seconds)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const utc = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return utc - seconds;
}

const DAY = 24 * 60 * 60_000;

/**
 * The moment at which the clocks of a zone show a time, given as if it were UTC. A time that a change of clocks repeats
 * is the first one; one that it skips is the first moment after it, as for cron.
 */
export function fromWall(shown: number, zone: string): number {
  const [before, after] = [shown - offsetAt(shown - 2 * DAY, zone), shown - offsetAt(shown + 2 * DAY, zone)];
  const found = [before, after].find((at) => at + offsetAt(at, zone) === shown);
  if (found !== undefined) return found;
  let [early, late] = [after, before];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (middle + offsetAt(middle, zone) > shown) late = middle;
    else early = middle;
  }
  return late;
}

/** ISO 8601 with the zone's offset, to the second: `2026-01-01T09:00:00+01:00`. */
export function isoInZone(at: number, zone: string): string {
  const offset = offsetAt(at, zone);
  const local = new Date(at + offset).toISOString().slice(0, 19);
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const sign = offset < 0 ? "-" : "+";
  return `${local}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** A calendar month of a zone. */
export interface Month {
  /** Unix milliseconds of its first moment, and of the one after its last. */
  readonly since: number;
  readonly until: number;
  /** `November 2026`. */
  readonly name: string;
}

/** The calendar month in which a moment lies, by the clocks of a zone. */
export function monthAt(at: number, zone: string): Month {
  const shown = new Date(at + offsetAt(at, zone));
  const [year, month] = [shown.getUTCFullYear(), shown.getUTCMonth()];
  const name = new Date(shown).toLocaleDateString("en-US", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const first = (after: number): number => fromWall(Date.UTC(year, month + after, 1), zone);
  return { since: first(0), until: first(1), name };
}
