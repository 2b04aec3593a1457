import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import type { CommandStage } from "./command.ts";

/**
 * Waits for a record in the home of a command. To ask by a command of its own at each look would take most of the processor
 * that the awaited process needs.
 *
 * @param value - what it must have: its JSON is compared
 */
export async function untilRecord({ home }: CommandStage, space: string, value: RegExp): Promise<void> {
  await expect.poll(() => recordsIn(home, space), { interval: 20 }).toMatch(value);
}

/** The values of a kind of records of a home, a line each; none while there is no database. */
export function recordsIn(home: string, space: string): string {
  try {
    using database = new DatabaseSync(join(home, "state.db"), { readOnly: true });
    const rows = database.prepare("SELECT value FROM records WHERE space = ?").all(space);
    return rows.map((row) => String(row["value"])).join("\n");
  } catch {
    // It is not there yet, or is just being made.
    return "";
  }
}
