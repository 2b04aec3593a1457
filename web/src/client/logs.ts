import { useEffect, useRef, useState } from "react";
import type { z } from "zod";
import type { LogLine, LogLines } from "../../../src/dashboard/api/log-routes.ts";
import { ask } from "./dashboard-api.ts";

const LOOK_MS = 1000;
/** Lines that are kept; older ones go as new ones come. */
const MOST_LINES = 1000;

/** The lines of a log that are wanted. */
export interface LogChoice {
  readonly log: string;
  readonly level: string;
  readonly q: string;
}

/** A line with a number that tells it from all others of the page. */
export interface NumberedLine {
  readonly number: number;
  readonly line: LogLine;
}

/** The end of a log as it grows. */
interface LogTail {
  /** `undefined` until they are known. */
  readonly lines: readonly NumberedLine[] | undefined;
  readonly error: Error | null;
}

const NOTHING: LogTail = { lines: undefined, error: null };

/** Follows a log, unless it is paused or nobody sees the page. Another choice is another component's: it begins anew. */
export function useLogTail(choice: LogChoice, isPaused: boolean): LogTail {
  const [tail, setTail] = useState(NOTHING);
  const after = useRef<string>(undefined);
  const { log, level, q } = choice;
  useEffect(() => {
    if (isPaused) return undefined;
    const over = new AbortController();
    const look = async (): Promise<void> => {
      const from = after.current === undefined ? {} : { after: after.current };
      const query = new URLSearchParams({ log, level, q, ...from });
      try {
        const page = await ask<z.output<typeof LogLines>>("GET", `/logs?${query.toString()}`);
        if (over.signal.aborted) return;
        after.current = page.next;
        setTail((before) => ({ lines: grown(before.lines, page.data), error: null }));
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        if (!over.signal.aborted) setTail((before) => ({ ...before, error }));
      }
    };
    return whileSeen(look, over);
  }, [log, level, q, isPaused]);
  return tail;
}

/** Calls `look` again and again while the page is seen, one call at a time; the returned function ends that. */
function whileSeen(look: () => Promise<void>, over: AbortController): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLooking = false;
  const again = async (): Promise<void> => {
    clearTimeout(timer);
    if (isLooking || over.signal.aborted || document.hidden) return;
    isLooking = true;
    await look();
    isLooking = false;
    timer = setTimeout(() => void again(), LOOK_MS);
  };
  document.addEventListener("visibilitychange", () => void again(), { signal: over.signal });
  void again();
  return () => {
    clearTimeout(timer);
    over.abort();
  };
}

function grown(
  before: readonly NumberedLine[] | undefined,
  came: readonly LogLine[],
): readonly NumberedLine[] {
  if (before !== undefined && came.length === 0) return before;
  const first = (before?.at(-1)?.number ?? 0) + 1;
  const lines = came.map((line, index) => ({ number: first + index, line }));
  return [...(before ?? []), ...lines].slice(-MOST_LINES);
}
