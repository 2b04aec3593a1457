import type { ChatHistory, SeenMessage } from "./chat-history.ts";

/** A message that a person sent, and what the model answers it with. */
export interface Exchange {
  readonly place: string;
  /** Words of the answer that no other answer of the place has. */
  readonly answer: string;
}

const MARK = /^\(sent again after a (?:restart|fault)\)/;
const FAILURE = /I could not answer|I was interrupted/;

/**
 * Checks what people saw against what they sent: nothing is lost, nothing is there twice without saying so, the answers of
 * a place come in the order of its messages, and the platform had nothing to forbid.
 *
 * @returns one line for each fault; none when all is well
 */
export function historyFaults(history: ChatHistory, sent: readonly Exchange[]): readonly string[] {
  const said = Map.groupBy(
    history.messages.filter(({ by }) => by === "bot"),
    ({ place }) => place,
  );
  const faults = history.breaches.map(({ place, what }) => `${place}: ${what}`);
  for (const [place, exchanges] of Map.groupBy(sent, (each) => each.place)) {
    const messages = said.get(place) ?? [];
    // A failure says that it is one, and stands for one answer.
    let failures = messages.filter(({ text }) => FAILURE.test(text) && !MARK.test(text)).length;
    let last = -1;
    for (const { answer } of exchanges) {
      const found = messages.flatMap((message, index) => (says(message, answer) ? [{ message, index }] : []));
      const unmarked = found.filter(({ message }) => !MARK.test(message.text));
      const [first] = found;
      if (first === undefined) {
        if (failures > 0) failures -= 1;
        else faults.push(`${place}: nothing says ${answer}`);
        continue;
      }
      if (unmarked.length > 1) faults.push(`${place}: ${unmarked.length} messages say ${answer}`);
      if (first.index < last) faults.push(`${place}: ${answer} comes too early`);
      last = first.index;
    }
  }
  return faults;
}

const says = ({ text }: SeenMessage, answer: string): boolean => text.split(/[^\w-]+/).includes(answer);
