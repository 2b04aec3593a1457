import type { Key } from "ink";

/** A key as it is bound: `ctrl+`, `alt+`, `shift+` in this order, then its name; `text` for what is typed. */
export interface Press {
  readonly name: string;
  /** What it writes; empty when it is no character. */
  readonly text: string;
}

const NAMED = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
] as const satisfies readonly (readonly [keyof Key, string])[];

const ENDS: Readonly<Record<string, Press>> = {
  "\r": { name: "enter", text: "" },
  "\t": { name: "tab", text: "" },
};

/** What was pressed, in order: what is typed fast, or while the program is busy, arrives at once. */
export function pressesOf(input: string, key: Key): readonly Press[] {
  const named = NAMED.find(([flag]) => key[flag])?.[1];
  // A line feed is what terminals send for Ctrl+J, and many of them for Shift+Enter.
  if (named === undefined && input === "\n") return [{ name: "ctrl+j", text: "" }];
  const modifiers = [key.ctrl ? "ctrl+" : "", key.meta && named !== "escape" ? "alt+" : ""].join("");
  if (named !== undefined) return [{ name: `${modifiers}${key.shift ? "shift+" : ""}${named}`, text: "" }];
  if (modifiers !== "") return [{ name: `${modifiers}${input.toLowerCase()}`, text: "" }];
  return typed(input);
}

/**
 * Text with the keys among it. Only an Enter or a Tab at the end is a key: those before it come from a paste that the
 * terminal did not mark as one.
 */
function typed(input: string): readonly Press[] {
  const last = ENDS[input.at(-1) ?? ""];
  const text = (last === undefined ? input : input.slice(0, -1)).replaceAll("\r", "\n");
  // Finding control characters is what this is for.
  // oxlint-disable-next-line no-control-regex
  const parts = text.match(/[\u0000-\u0008\u000b-\u001f]|[^\u0000-\u0008\u000b-\u001f]+/g) ?? [];
  return [...parts.map(pressOfPart), ...(last === undefined ? [] : [last])];
}

function pressOfPart(part: string): Press {
  const code = part.charCodeAt(0);
  return code < 0x20 && part.length === 1 && part !== "\n" && part !== "\t"
    ? { name: `ctrl+${String.fromCharCode(code + 96)}`, text: "" }
    : { name: "text", text: part };
}
