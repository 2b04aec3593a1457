import { Static, Text, useInput, usePaste } from "ink";
import { useLayoutEffect, useSyncExternalStore } from "react";
import { type Press, pressesOf } from "../keys/press.ts";
import type { AppState } from "../state/app-state.ts";
import type { Finished } from "../state/view-state.ts";
import type { Store } from "../store.ts";
import type { Theme } from "../text/theme.ts";
import { entryLines } from "./entry-lines.ts";
import { type Frame, frame } from "./frame.ts";

export interface AppProps {
  readonly store: Store;
  readonly theme: () => Theme;
  /** The person's home, for shorter paths. */
  readonly home: string;
  readonly onKey: (press: Press) => void;
  readonly onPaste: (text: string) => void;
  /** Draws what is below the finished entries. */
  readonly onFrame: (drawn: Frame) => void;
}

/** What is printed with one frame; the rest waits for the next, so that keys are never far behind. */
const MOST_AT_ONCE = { entries: 40, weight: 6000 };

/** The screen: finished entries above, each printed once, and the frame below them. */
export function App({ store, theme, home, onKey, onPaste, onFrame }: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.read);
  const isActive = !state.away;
  useInput((input, key) => pressesOf(input, key).forEach(onKey), { isActive });
  usePaste(onPaste, { isActive });
  useLayoutEffect(() => onFrame(frame(state, home)), [state, home, onFrame]);
  return <Printed state={state} theme={theme()} store={store} />;
}

function Printed({
  state,
  theme,
  store,
}: {
  readonly state: AppState;
  readonly theme: Theme;
  readonly store: Store;
}) {
  const batch = nextBatch(state.view.finished);
  const upTo = batch.at(-1)?.key;
  useLayoutEffect(() => {
    if (upTo === undefined) return undefined;
    // Not at once: React takes a long chain of updates for one without end, and keys come in between.
    const later = setImmediate(() => store.dispatch({ type: "printed", upTo }));
    return () => clearImmediate(later);
  }, [store, upTo]);
  // Each batch is a list of its own: what is printed need not be kept to be counted.
  return (
    <Static key={batch[0]?.key ?? 0} items={[...batch]}>
      {(item) => <Text key={item.key}>{printedText(item, { columns: state.size.columns, theme })}</Text>}
    </Static>
  );
}

/** At least one, and no more than a frame has time for. */
function nextBatch(finished: readonly Finished[]): readonly Finished[] {
  let weight = 0;
  const end = finished.findIndex(({ entry }, index) => {
    weight += "text" in entry ? entry.text.length : 200;
    return index > 0 && (weight > MOST_AT_ONCE.weight || index >= MOST_AT_ONCE.entries);
  });
  return end === -1 ? finished : finished.slice(0, end);
}

function printedText(
  { entry, apart }: Finished,
  { columns, theme }: { readonly columns: number; readonly theme: Theme },
): string {
  const lines = entryLines(entry, columns).map(theme.ansi);
  return [...(apart ? [""] : []), ...lines].join("\n");
}
