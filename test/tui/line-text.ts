import type { Line } from "../../src/tui/text/line.ts";

/** What a line says, without its looks. */
export const lineText = (of: Line): string => of.map(({ text }) => text).join("");
