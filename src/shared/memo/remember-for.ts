import type { Clock } from "../async/clock.ts";

/** Makes a function that gives its last answer again, to the same question, for so many milliseconds. */
export function rememberFor<Question, Answer>(
  { ms, clock }: { readonly ms: number; readonly clock: Clock },
  ask: (question: Question) => Answer,
): (question: Question) => Answer {
  let last: { readonly question: Question; readonly answer: Answer; readonly until: number } | undefined;
  return (question) => {
    const now = clock.monotonic();
    if (last !== undefined && last.question === question && now < last.until) return last.answer;
    const answer = ask(question);
    last = { question, answer, until: now + ms };
    return answer;
  };
}
