import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { DownIcon, IconButton } from "./icons.tsx";
import styles from "./app.module.css";

/** Pixels from the end within which one reads along. */
const NEAR = 120;

interface ScrollerProps {
  /** Changes with what is shown. */
  readonly tick: string;
  /** Changes when something older is shown above. */
  readonly first: string;
  readonly children: ReactNode;
}

/** The messages: it stays at the newest one, unless one scrolled up to read; what comes in above moves nothing. */
export function Scroller({ tick, first, children }: ScrollerProps) {
  const place = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const before = useRef({ first, height: 0 });
  const [isAway, setAway] = useState(false);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const { scrollHeight: height } = current;
    if (atEnd.current) current.scrollTop = height;
    else if (before.current.first !== first) current.scrollTop += height - before.current.height;
    before.current = { first, height };
  }, [tick, first]);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    // Pictures come later than the message that they are in, and keyboards take away from what is seen.
    const observer = new ResizeObserver(() => {
      if (atEnd.current) current.scrollTop = current.scrollHeight;
    });
    for (const each of [current, current.firstElementChild]) if (each !== null) observer.observe(each);
    return () => observer.disconnect();
  }, []);
  const toEnd = (): void => {
    atEnd.current = true;
    place.current?.scrollTo({ top: place.current.scrollHeight });
  };
  return (
    <div className={styles["scrollerBox"]}>
      <div
        ref={place}
        className={styles["scroller"]}
        role="log"
        aria-label="Messages"
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
          setAway(!atEnd.current);
        }}
      >
        <div className={styles["messages"]}>{children}</div>
      </div>
      {isAway ? (
        <span className={styles["toEnd"]}>
          <IconButton label="To the newest message" onClick={toEnd}>
            <DownIcon />
          </IconButton>
        </span>
      ) : null}
    </div>
  );
}
