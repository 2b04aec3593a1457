const USUAL_FENCE = "```";
/** Characters of what stands behind a fence that is repeated whole; of a longer one the first word. */
const LONGEST_INFO = 40;
const LONGEST_LANGUAGE = 20;

/** A block of code that is cut. */
export interface LongCode {
  readonly raw: string;
  readonly text: string;
  readonly info: string;
}

/** The room of one piece. */
export interface Room {
  /** Characters. */
  readonly limit: number;
  /** Characters that will stand before each line. */
  readonly width: number;
}

/** Cuts code into blocks of code; none where there is no room for a fence. */
export function splitCode(code: LongCode, { limit, width }: Room): readonly string[] {
  const fence = fenceOf(code);
  const around = 2 * (fence.length + width + 1);
  const info = infoOf(code.info, Math.floor((limit - around) / 2));
  const room = limit - around - info.length;
  if (room < width + 4) return [];
  return linesWithin(code.text, room, width).map((lines) => `${fence}${info}\n${lines}\n${fence}`);
}

/** The code's own fence, made longer than all that look like it within. */
function fenceOf({ raw, text }: LongCode): string {
  const own = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1] ?? USUAL_FENCE;
  const sign = own[0] ?? "`";
  const runs = text.match(sign === "~" ? /~+/g : /`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 0);
  return sign.repeat(Math.max(own.length, longest + 1));
}

function infoOf(info: string, most: number): string {
  const short =
    info.length <= LONGEST_INFO ? info : (info.split(/\s/, 1)[0] ?? "").slice(0, LONGEST_LANGUAGE);
  return short.length <= most ? short : "";
}

/** Lines, as many together as fit; a line that is too long by itself is cut. */
function linesWithin(text: string, room: number, width: number): readonly string[] {
  const pieces: string[] = [];
  let lines: string[] = [];
  let taken = 0;
  for (const line of text.split("\n").flatMap((each) => cutLine(each, room - width))) {
    const cost = width + line.length + 1;
    if (lines.length > 0 && taken + cost > room + 1) {
      pieces.push(lines.join("\n"));
      [lines, taken] = [[], 0];
    }
    lines.push(line);
    taken += cost;
  }
  return [...pieces, lines.join("\n")];
}

/** Cuts a line of code behind a space where there is one; nothing of it is lost. */
function cutLine(line: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > room) {
    const space = rest.lastIndexOf(" ", room - 1) + 1;
    const last = rest.charCodeAt(room - 1);
    const whole = last >= 0xd800 && last <= 0xdbff ? room - 1 : room;
    const at = space > room / 2 ? space : whole;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
}
