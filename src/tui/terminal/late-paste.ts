const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

/**
 * A paste that was passed on before its end came. Whether what follows is its rest, over a slow line, or typed, nobody
 * can tell: an Enter in it is a new line, so that nothing is sent that was pasted.
 */
export interface LatePaste {
  /** A pause ends it: the person has stopped it. */
  readonly endsWithRest: boolean;
  /** The beginning of what may become the end. */
  readonly held: string;
}

interface Taken {
  /** What is passed on. */
  readonly given: string;
  /** `undefined` when it is over. */
  readonly next: LatePaste | undefined;
  /** What came behind its end, or begins another paste. */
  readonly typed: string;
}

/** Characters that nobody types at once. */
const NOT_TYPED = 64;

// Finding control characters is what these are for.
/* oxlint-disable no-control-regex */

/** Keys that no paste has: control characters but tab and line ends, and what begins with Escape. */
const KEY =
  /^(?:[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]|\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|O?.)?)$/su;
const CONTROL = /[\u0000-\u001f\u007f]/u;
/* oxlint-enable no-control-regex */

/** Takes what comes behind the pause. A key that no paste has ends the paste. */
export function takeLate(late: LatePaste, text: string): Taken {
  const all = late.held + text;
  const end = all.indexOf(END);
  const begin = all.indexOf(BEGIN);
  if (begin !== -1 && (end === -1 || begin < end))
    return { given: asPasted(all.slice(0, begin)), next: undefined, typed: all.slice(begin) };
  if (end !== -1)
    return { given: asPasted(all.slice(0, end)), next: undefined, typed: all.slice(end + END.length) };
  // Collected in its turn: in small pieces a long text would be in the composer itself.
  if (all.length >= NOT_TYPED) return { given: "", next: undefined, typed: BEGIN + all };
  if (KEY.test(all)) return { given: all, next: undefined, typed: "" };
  const { text: come, held } = beginsLate(all);
  return { given: asPasted(come), next: { ...late, held }, typed: "" };
}

/** Cuts off what may be the beginning of the end. */
export function beginsLate(all: string): { readonly text: string; readonly held: string } {
  for (let length = END.length - 1; length > 0; length -= 1)
    if (all.endsWith(END.slice(0, length)))
      return { text: all.slice(0, -length), held: END.slice(0, length) };
  return { text: all, held: "" };
}

const asPasted = (text: string): string => (CONTROL.test(text) ? BEGIN + text + END : text);
