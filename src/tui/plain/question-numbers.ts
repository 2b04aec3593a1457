/**
 * The numbers under which questions are answered in plain lines. None is given twice: a line that was meant for a question
 * that is over answers no other one.
 */
export class QuestionNumbers {
  readonly #numbers = new Map<string, number>();

  /** The number of a question; a new one when it is asked for the first time. */
  of(requestId: string): number {
    const known = this.#numbers.get(requestId);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(requestId, number);
    return number;
  }
}
