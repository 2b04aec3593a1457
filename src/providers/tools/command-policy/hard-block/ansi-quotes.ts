const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001B",
  E: "\u001B",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gs;

/** The text of `$'…'`, whose escapes bash decodes. */
export function decodeAnsi(text: string): string {
  return text.replace(ESCAPE, (_whole, ...groups: (string | undefined)[]) => {
    const [x, u, long, octal, control, letter = ""] = groups;
    const hex = x ?? u ?? long;
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return fromCode(control.toUpperCase().charCodeAt(0) & 0x1f);
    return LETTERS[letter] ?? letter;
  });
}

function fromCode(code: number): string {
  return code <= 0x10_ffff ? String.fromCodePoint(code) : "";
}
