import type { ChatHistory } from "./chat-history.ts";

/** A message that a person sent, and what the model answers it with. */
export interface Exchange {
  readonly place: string;
  /** Words of the answer that no other answer of the place has. */
  readonly answer: string;
}

const MARK = /^\(sent again after a (?:restart|fault)\)/;
/** Says that there is no answer, and to which message. */
const FAILURE = /agent chat replay (\S+)/;

/** What people saw, counted. */
export interface Verdict {
  /** One line for each fault; none when all is well. */
  readonly faults: readonly string[];
  /** Messages without an answer and without word of it. */
  readonly lost: number;
  /** Answers that are there again: without saying so, and saying so. */
  readonly doubled: number;
  readonly marked: number;
  /** Answers that came before that of an earlier message. */
  readonly misordered: number;
  /** Messages whose sender was told that they failed. */
  readonly failed: number;
  /** Times that the platform would have forbidden something. */
  readonly breaches: number;
}

/**
 * Checks what people saw against what they sent: nothing is lost, nothing is there twice without saying so, the answers of
 * a place come in the order of its messages, and the platform had nothing to forbid.
 */
export function judgeHistory(history: ChatHistory, sent: readonly Exchange[]): Verdict {
  const said = Map.groupBy(
    history.messages.filter(({ by }) => by === "bot"),
    ({ place }) => place,
  );
  const { breaches } = history;
  const faults = breaches.map(({ place, what }) => `${place}: ${what}`);
  const counts = { lost: 0, doubled: 0, marked: 0, misordered: 0, failed: 0 };
  for (const [place, exchanges] of Map.groupBy(sent, (each) => each.place)) {
    const messages = said.get(place) ?? [];
    // A failure stands for one answer, however often it was sent.
    let failures = new Set(messages.flatMap(({ text }) => FAILURE.exec(text)?.[1] ?? [])).size;
    let last = -1;
    for (const { answer } of exchanges) {
      const found = messages.flatMap((message, index) =>
        hasAnswer(message.text, answer) ? [{ message, index }] : [],
      );
      const unmarked = found.filter(({ message }) => !MARK.test(message.text)).length;
      counts.marked += found.length - unmarked;
      const [first] = found;
      if (first === undefined) {
        counts[failures > 0 ? "failed" : "lost"] += 1;
        if (failures > 0) failures -= 1;
        else faults.push(`${place}: nothing says ${answer}`);
        continue;
      }
      if (unmarked > 1) {
        counts.doubled += unmarked - 1;
        faults.push(`${place}: ${unmarked} messages say ${answer}`);
      }
      if (first.index < last) {
        counts.misordered += 1;
        faults.push(`${place}: ${answer} comes too early`);
      }
      last = first.index;
    }
  }
  return { ...counts, faults, breaches: breaches.length };
}

/** The faults alone: one line for each, none when all is well. */
export const historyFaults = (history: ChatHistory, sent: readonly Exchange[]): readonly string[] =>
  judgeHistory(history, sent).faults;

/** Whether a text has an answer as a word, and not as the beginning of another one. */
export const hasAnswer = (text: string, answer: string): boolean => text.split(/[^\w-]+/).includes(answer);
