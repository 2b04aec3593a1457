import { Box, Static, Text, useCursor, useInput, usePaste } from "ink";
import { useLayoutEffect, useSyncExternalStore } from "react";
import { type Press, pressesOf } from "../keys/press.ts";
import type { AppState } from "../state/app-state.ts";
import type { Finished } from "../state/view-state.ts";
import type { Store } from "../store.ts";
import type { Line } from "../text/line.ts";
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
  /** Tells what of the screen is drawn again and again. */
  readonly onFrame: (drawn: Frame) => void;
}

/** Entries that are printed with one frame; the rest waits for the next, so that keys are never far behind. */
const MOST_AT_ONCE = 40;

/** The screen: finished entries above, each printed once, and the frame below them. */
export function App({ store, theme, home, onKey, onPaste, onFrame }: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.read);
  useInput((input, key) => pressesOf(input, key).forEach(onKey));
  usePaste(onPaste);
  const drawn = frame(state, home);
  return (
    <Box flexDirection="column" width={state.size.columns}>
      <Printed state={state} theme={theme()} store={store} />
      <Live drawn={drawn} theme={theme()} onFrame={onFrame} />
    </Box>
  );
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
  const batch = state.view.finished.slice(0, MOST_AT_ONCE);
  const upTo = batch.at(-1)?.key;
  useLayoutEffect(() => {
    if (upTo !== undefined) store.dispatch({ type: "printed", upTo });
  }, [store, upTo]);
  // Each batch is a list of its own: what is printed need not be kept to be counted.
  return (
    <Static key={batch[0]?.key ?? 0} items={[...batch]}>
      {(item) => <Text key={item.key}>{printedText(item, { columns: state.size.columns, theme })}</Text>}
    </Static>
  );
}

function printedText(
  { entry, apart }: Finished,
  { columns, theme }: { readonly columns: number; readonly theme: Theme },
): string {
  const lines = entryLines(entry, columns).map(theme.ansi);
  return [...(apart ? [""] : []), ...lines].join("\n");
}

function Live({
  drawn,
  theme,
  onFrame,
}: {
  readonly drawn: Frame;
  readonly theme: Theme;
  readonly onFrame: (drawn: Frame) => void;
}) {
  const { setCursorPosition } = useCursor();
  setCursorPosition(drawn.caret);
  useLayoutEffect(() => onFrame(drawn), [drawn, onFrame]);
  return <Text>{textOf(drawn.lines, theme)}</Text>;
}

const textOf = (lines: readonly Line[], theme: Theme): string => lines.map(theme.ansi).join("\n");
