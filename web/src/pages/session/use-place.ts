import type { Virtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useState } from "react";
import { rowIdOf, type SessionRow } from "../../session/rows.ts";

interface WantedPlace {
  readonly rows: readonly SessionRow[];
  /** The row of the log that is wanted; absent, the end is. */
  readonly place: number | undefined;
  readonly hasOlder: boolean;
  readonly readOlder: () => void;
  readonly list: Pick<Virtualizer<HTMLDivElement, Element>, "scrollToEnd" | "scrollToIndex">;
}

/** Goes to the place of a conversation that it was opened at, once; older messages are read until it is there. Gives its row. */
export function usePlace({ rows, place, hasOlder, readOlder, list }: WantedPlace): SessionRow | undefined {
  const [reached, setReached] = useState<{ readonly place: number | undefined }>();
  const isThere = rows.length > 0;
  const index = place === undefined ? -1 : rows.findIndex((row) => (rowIdOf(row) ?? -1) >= place);
  const isOlder = hasOlder && (index === 0 || rows.every((row) => (rowIdOf(row) ?? Infinity) > (place ?? 0)));
  useLayoutEffect(() => {
    if (!isThere || (reached !== undefined && reached.place === place)) return;
    if (place !== undefined && isOlder) return readOlder();
    if (index < 0) list.scrollToEnd();
    else list.scrollToIndex(index, { align: "center" });
    setReached({ place });
  }, [isThere, reached, place, isOlder, readOlder, index, list, rows]);
  return rows[index];
}
