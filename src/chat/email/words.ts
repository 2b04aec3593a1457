/** Tags whose content nobody reads. */
const UNSEEN = /^(?:style|script|head|title|template)$/;
/** Tags after which a new line begins. */
const BREAKS = /^(?:br|p|div|li|tr|h[1-6]|blockquote|pre|table|ul|ol|hr)$/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** The words of a mail that is HTML only; quotes keep their sign. Takes time by its length. */
export function htmlWords(html: string): string {
  let words = "";
  let hidden = "";
  for (const [index, piece] of html.split("<").entries()) {
    const end = index === 0 ? -1 : piece.indexOf(">");
    const tag = /^(\/?)([a-z][a-z0-9]*)/i.exec(piece);
    const name = tag?.[2]?.toLowerCase() ?? "";
    if (hidden !== "") {
      if (tag?.[1] === "/" && name === hidden) hidden = "";
      else continue;
    } else if (tag?.[1] === "" && UNSEEN.test(name)) {
      hidden = name;
      continue;
    }
    if (BREAKS.test(name)) words += name === "blockquote" && tag?.[1] === "" ? "\n> " : "\n";
    words += plain(piece.slice(end + 1));
  }
  return words
    .replaceAll(/(?<![ \t])[ \t]+\n/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const plain = (text: string): string =>
  text.replaceAll(/\s+/g, " ").replaceAll(/&(#x?[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = Number(name.toLowerCase().startsWith("#x") ? `0x${name.slice(2)}` : name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
  });

const SIGNATURE = /^-- ?$/;
const ORIGINAL =
  /^-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}$/i;
const WROTE =
  /^(?:on|am|le|el|il|op|em|den|w dniu)\s.{4,200}(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał)[^:\n]{0,200}:$/i;
const HEADERS = /^\*?(?:from|von|de|da|van):\*?\s.{1,200}$/i;
const MORE_HEADERS = /^\*?(?:sent|date|gesendet|datum|envoyé|enviado|inviato|verzonden):\*?\s/i;
const LONGEST_LINE = 500;

/** What somebody wrote: without what stands below it of mails before, and without the signature. */
export function ownWords(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  const end = lines.findIndex((_, at) => endsAt(lines, at));
  const kept = end === -1 ? lines : lines.slice(0, end);
  let last = kept.length;
  while (last > 0 && /^(?:>.*|\s*)$/.test((kept[last - 1] ?? "").slice(0, LONGEST_LINE))) last -= 1;
  const own = kept.slice(0, last).join("\n").trim();
  // A mail that says nothing of its own passes something on.
  return own === "" ? text.trim() : own;
}

function endsAt(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? "").trim();
  if (line.length > LONGEST_LINE) return false;
  if (SIGNATURE.test(lines[at] ?? "") || ORIGINAL.test(line)) return true;
  const next = (lines[at + 1] ?? "").trim().slice(0, LONGEST_LINE);
  // Long ones are broken before they end.
  if (WROTE.test(line) || (!line.endsWith(":") && next.endsWith(":") && WROTE.test(`${line} ${next}`)))
    return true;
  return HEADERS.test(line) && MORE_HEADERS.test(next);
}
