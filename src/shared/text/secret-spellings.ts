import type { Literal } from "./literal-matcher.ts";

/**
 * Lists the ways in which a secret may stand in text: as it is, reversed, escaped, percent-encoded, in hexadecimal
 * digits, and in base64 behind any number of other bytes. Digits of both kinds may be wrapped into lines.
 *
 * The first character of the rarer spellings stays visible. Nearly every piece of a stream ends with the first character
 * of one of them, and would be held back for it.
 */
export function secretSpellings(secret: string): readonly Literal[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = hexDigits(bytes);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const usual = new Set([secret, escaped, htmlEscaped(secret), encodeURIComponent(secret.toWellFormed())]);
  const rare = new Set([...percentEncoded(secret, hex), Array.from(secret).toReversed().join("")]);
  return [
    ...[...usual].map((text) => ({ text, shown: 0, wraps: false })),
    ...[...rare.difference(usual)].map((text) => ({ text, shown: 1, wraps: false })),
    ...[...inAlphabets(wholeBase64(bytes))].map((text) => ({ text, shown: 0, wraps: true })),
    ...[hex, hex.toUpperCase(), ...inAlphabets(innerBase64(bytes))].map((text) => ({
      text,
      shown: 1,
      wraps: true,
    })),
  ];
}

const hexDigits = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Encoders differ in the characters that they leave alone, and in the case of the digits. */
function percentEncoded(secret: string, hex: string): readonly string[] {
  const all = hex.replaceAll(/../g, "%$&");
  const whole = secret.toWellFormed();
  const component = encodeURIComponent(whole);
  if (component === secret && !/[!'()*~]/.test(secret)) return [all, all.toUpperCase()];
  const strict = component.replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const texts = [
    component,
    strict,
    strict.replaceAll("%20", "+"),
    formField(secret),
    encodeURI(whole),
    all.toUpperCase(),
  ];
  return [...texts, ...texts.map((text) => text.replaceAll(/%../g, (code) => code.toLowerCase()))];
}

const formField = (secret: string): string => new URLSearchParams([["", secret]]).toString().slice(1);

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const htmlEscaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

/** The digits of a secret that is encoded alone, or before other bytes. */
function wholeBase64(bytes: Uint8Array): readonly string[] {
  const digits = base64(bytes).replace(/=+$/, "");
  return [digits, digits.slice(0, Math.floor((bytes.length * 4) / 3))];
}

/** The digits of a secret that is encoded behind other bytes, without those that share bits with a neighbour. */
const innerBase64 = (bytes: Uint8Array): readonly string[] =>
  [1, 2].map((before) => {
    const digits = base64(Buffer.concat([Buffer.alloc(before), bytes]));
    return digits.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const inAlphabets = (texts: readonly string[]): ReadonlySet<string> =>
  new Set([...texts, ...texts.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))]);
