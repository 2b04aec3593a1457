import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Entry } from "../../session/live-session.ts";
import { rowsOf, type SessionRow } from "../../session/rows.ts";
import type { TurnTimeline } from "../../session/timeline.ts";
import type { SessionTimeline } from "../../session/use-timeline.ts";
import { EntryRow } from "./entries.tsx";
import styles from "./session.module.css";
import { TurnTime } from "./turn-time.tsx";
import { usePlace } from "./use-place.ts";

interface ConversationProps {
  readonly entries: readonly Entry[];
  readonly timeline: SessionTimeline;
  /** There are older messages. */
  readonly hasOlder: boolean;
  readonly readOlder: () => void;
  /** The row of the log that it is opened at; the end without one. */
  readonly place: number | undefined;
  readonly onFork: (turn: TurnTimeline) => void;
  readonly onRewind: (turn: TurnTimeline) => void;
}

/** Pixels from the end at which one still counts as reading it. */
const NEAR_END = 80;
/** Rows from the beginning at which what is older is read. */
const NEAR_START = 60;
const ROW_PIXELS = 56;

/** The conversation of a session. Only the rows near what is seen are in the page, however many there are. */
export function Conversation({ entries, timeline, hasOlder, readOlder, place, ...acts }: ConversationProps) {
  const { turns, readAt, reach } = timeline;
  const rows = useMemo(() => rowsOf(entries, turns), [entries, turns]);
  const area = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const open = useCallback((key: string, isOpen: boolean) => {
    setOpened((known) => {
      if (known.has(key) === isOpen) return known;
      const next = new Set(known);
      if (isOpen) next.add(key);
      else next.delete(key);
      return next;
    });
  }, []);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => area.current,
    estimateSize: () => ROW_PIXELS,
    getItemKey: (index) => rows[index]?.key ?? index,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
    overscan: 8,
    gap: 12,
    paddingStart: 24,
    paddingEnd: 24,
  });
  const found = usePlace({ rows, place, hasOlder, readOlder, list });
  useStayAtEnd(area, list);

  const items = list.getVirtualItems();
  const first = items[0]?.index ?? Infinity;
  useEffect(() => {
    if (hasOlder && first < NEAR_START) readOlder();
  }, [first, hasOlder, readOlder, entries]);
  const oldest = entries.find((entry) => entry.kind === "prompt");
  const oldestRow = oldest?.kind === "prompt" ? oldest.row : undefined;
  useEffect(() => {
    if (oldestRow !== undefined) void reach(oldestRow).catch(() => undefined);
  }, [oldestRow, reach]);

  return (
    <div className={styles["scroll"]} ref={area} tabIndex={0} role="region" aria-label="Conversation">
      <ol className={styles["list"]} style={{ height: list.getTotalSize() }}>
        {items.map(({ index, key, start }) => (
          <li
            key={key}
            data-index={index}
            ref={list.measureElement}
            aria-setsize={hasOlder ? -1 : rows.length}
            aria-posinset={index + 1}
            aria-current={found !== undefined && rows[index] === found ? "location" : undefined}
            style={{ transform: `translateY(${start}px)` }}
          >
            <Row row={rows[index]} {...{ readAt, opened, open }} {...acts} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Stays at the end when the room for the conversation changes, as it does with each question below it. */
function useStayAtEnd(
  area: RefObject<HTMLDivElement | null>,
  list: Pick<Virtualizer<HTMLDivElement, Element>, "scrollToEnd">,
): void {
  const wasAtEnd = useRef(true);
  useEffect(() => {
    const { current } = area;
    if (current === null) return undefined;
    const look = (): void => {
      wasAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END;
    };
    const observer = new ResizeObserver(() => {
      if (wasAtEnd.current) list.scrollToEnd();
    });
    current.addEventListener("scroll", look, { passive: true });
    observer.observe(current);
    return () => {
      current.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [area, list]);
}

interface RowProps extends Pick<ConversationProps, "onFork" | "onRewind"> {
  readonly row: SessionRow | undefined;
  readonly readAt: number;
  readonly opened: ReadonlySet<string>;
  readonly open: (key: string, isOpen: boolean) => void;
}

function Row({ row, readAt, opened, open, ...acts }: RowProps) {
  const key = row?.key ?? "";
  const onOpen = useCallback((isOpen: boolean) => open(key, isOpen), [key, open]);
  if (row === undefined) return null;
  if ("entry" in row) return <EntryRow entry={row.entry} isTurned={opened.has(key)} onTurn={onOpen} />;
  const { turn } = row;
  return <TurnTime turn={turn} readAt={readAt} isOpen={opened.has(key)} onOpen={onOpen} {...acts} />;
}
