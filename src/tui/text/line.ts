import { fit, width } from "./width.ts";

/** The role of a piece of text; the theme gives it its look. */
export type Style =
  | "dim"
  | "bold"
  | "italic"
  | "strike"
  | "underline"
  | "accent"
  | "ok"
  | "warn"
  | "error"
  | "code"
  | "heading"
  | "link"
  | "added"
  | "removed"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name"
  | "chosen"
  /** Rules and bars. */
  | "border"
  /** The sign before what a person writes, and before what goes to the shell. */
  | "prompt"
  | "shell";

/** A piece of text in one look. */
export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** One row of the screen, never wider than it was made for. */
export type Line = readonly Span[];

export const span = (text: string, ...styles: readonly Style[]): Span => ({ text, styles });

export const line = (text: string, ...styles: readonly Style[]): Line => [span(text, ...styles)];

export const BLANK: Line = [];

/** Cuts a line to a width; most fit. */
export function fitLine(of: Line, columns: number): Line {
  if (lineWidth(of) <= columns) return of;
  let room = columns;
  return of.flatMap((each) => {
    const text = fit(each.text, room);
    room -= width(text);
    return text === "" ? [] : [{ ...each, text }];
  });
}

export const lineWidth = (of: Line): number => of.reduce((sum, { text }) => sum + width(text), 0);

/** All lines with the same thing before them. */
export const indented = (lines: readonly Line[], by: string | Span): readonly Line[] => {
  const prefix = typeof by === "string" ? span(by) : by;
  return lines.map((each) => [prefix, ...each]);
};

/** Lines of which the first begins otherwise than the rest, as list items and prompts do. */
export function hanging(lines: readonly Line[], first: Span, rest: string): readonly Line[] {
  return lines.map((each, index) => [index === 0 ? first : span(rest), ...each]);
}
