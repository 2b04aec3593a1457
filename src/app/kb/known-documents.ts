import { hasDocuments } from "../../providers/kb/mark.ts";
import type { Clock } from "../../shared/async/clock.ts";

/** The answer to whether some document can be searched, as each turn asks it: at once. */
export interface KnownDocuments extends Disposable {
  /** Resolves when the answer is known. */
  ready(): Promise<void>;
  some(): boolean;
}

/** Milliseconds after which a database that machines share is asked again. */
const LOOK_MS = 5000;

/** The answer of a home, which a file there gives. */
export const documentsOfHome = (home: string): KnownDocuments => ({
  ready: () => Promise.resolve(),
  some: () => hasDocuments(home),
  [Symbol.dispose]: () => undefined,
});

/** The answer of a database that machines share, which is asked now and then. */
export function sharedDocuments(ask: () => Promise<boolean>, clock: Clock): KnownDocuments {
  let known = false;
  let cancel = (): void => undefined;
  let first: Promise<void> | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    // A database that does not answer: what was known stays.
    known = await ask().catch(() => known);
    if (!isOver) cancel = clock.after(LOOK_MS, () => void look());
  };
  return {
    ready: () => (first ??= look()),
    some: () => known,
    [Symbol.dispose]() {
      isOver = true;
      cancel();
    },
  };
}
