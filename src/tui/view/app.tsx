import { Static, Text, useInput, usePaste } from "ink";
import { useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { type Press, pressesOf } from "../input/press.ts";
import type { AppState } from "../state/app-state.ts";
import type { Finished } from "../state/view-state.ts";
import type { ViewStore } from "../view-store.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Theme } from "../text/theme.ts";
import { entryLines } from "./entry-lines.ts";
import { composeFrame } from "./frame.ts";

/** Properties of the application's component. */
export interface AppProps {
  readonly store: ViewStore;
  readonly theme: () => Theme;
  /** The person's home, for shorter paths. */
  readonly home: string;
  readonly onKey: (press: Press) => void;
  readonly onPaste: (text: string) => void;
  readonly screen: Pick<Screen, "draw" | "whenFree" | "began" | "takeBack">;
  /** What was taken back has left the screen; `whole`: with nothing else. */
  readonly onTakenBack: (taken: Finished, whole: boolean) => Promise<void>;
}

/** Whether a frame shows what was typed since another one. */
const isAnswer = (before: AppState, after: AppState): boolean =>
  before.composer !== after.composer ||
  before.answering !== after.answering ||
  before.overlay !== after.overlay ||
  before.hint !== after.hint;

/** What is printed at a time; the rest waits, so that keys are never far behind. */
const MOST_AT_ONCE = { entries: 40, weight: 6000 };

/** The screen: finished entries above, each printed once, and the frame below them. */
export function App({ store, theme, home, onKey, onPaste, screen, onTakenBack }: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.read);
  const isActive = !state.away;
  useInput((input, key) => pressesOf(input, key).forEach(onKey), { isActive });
  usePaste(onPaste, { isActive });
  const before = useRef(state);
  useLayoutEffect(() => {
    screen.draw(composeFrame(state, home), isAnswer(before.current, state));
    before.current = state;
  }, [state, home, screen]);
  return <Printed state={state} theme={theme()} store={store} screen={screen} onTakenBack={onTakenBack} />;
}

interface PrintedProps extends Pick<AppProps, "store" | "screen" | "onTakenBack"> {
  readonly state: AppState;
  readonly theme: Theme;
}

function Printed({ state, theme, store, screen, onTakenBack }: PrintedProps) {
  const batch = nextBatch(state.view.finished);
  const upTo = batch.at(-1)?.key;
  const texts = batch.flatMap((item) => printedText(item, { state, theme }));
  const latest = useRef({ batch, texts });
  latest.current = { batch, texts };
  useLayoutEffect(() => {
    if (upTo === undefined) return undefined;
    const [first] = latest.current.batch;
    if (first?.entry.kind === "takenBack") {
      const { from } = first.entry;
      return screen.whenFree(() => void onTakenBack(first, screen.takeBack(from)));
    }
    screen.began(latest.current.texts.map(({ key, text }) => ({ key, lines: text.split("\n").length })));
    // Not at once: React takes a long chain of updates for one without end, and keys come in between.
    return screen.whenFree(() => store.dispatch({ type: "printed", upTo }));
  }, [store, screen, upTo, onTakenBack]);
  // Each batch is a list of its own: what is printed need not be kept to be counted.
  return (
    <Static key={batch[0]?.key ?? 0} items={texts}>
      {({ key, text }) => <Text key={key}>{text}</Text>}
    </Static>
  );
}

/** At least one, and no more than a frame has time for. What takes others back is alone. */
function nextBatch(finished: readonly Finished[]): readonly Finished[] {
  let weight = 0;
  const end = finished.findIndex(({ entry }, index) => {
    if (index > 0 && [entry.kind, finished[0]?.entry.kind].includes("takenBack")) return true;
    weight += "text" in entry ? entry.text.length : 200;
    return index > 0 && (weight > MOST_AT_ONCE.weight || index >= MOST_AT_ONCE.entries);
  });
  return end === -1 ? finished : finished.slice(0, end);
}

/** What is printed of an entry; nothing of one that the person does not want to see. */
function printedText(
  { key, entry, apart }: Finished,
  { state, theme }: { readonly state: AppState; readonly theme: Theme },
): readonly { readonly key: number; readonly text: string }[] {
  const { display, size } = state;
  const lines = entryLines(entry, { columns: size.columns, display }).map(theme.ansi);
  if (lines.length === 0) return [];
  return [{ key, text: [...(apart && !display.compact ? [""] : []), ...lines].join("\n") }];
}
