import { isAnswerWord } from "../command-text.ts";
import type { AskedRequest } from "../gateway.ts";
import { type AnswerIntent, type AnswerLine, readIntent, readAnswerLine } from "./answer-line.ts";
import { QuestionNumbers } from "./question-numbers.ts";
import { wholeWords } from "./question-words.ts";

/** The meaning of a typed line with regard to the open questions. */
export type LineMeaning =
  | { readonly type: "other" }
  | Extract<AnswerIntent, { type: "say" }>
  | (Extract<AnswerIntent, { type: "answer" }> & { readonly request: AskedRequest });

/** The reader of answers in lines. Only a line that names its question answers one. */
export class LineAnswers {
  readonly numbers = new QuestionNumbers();
  /** Questions of which it was shown what "always" allows. */
  readonly #shown = new Set<string>();
  #hidden: AskedRequest | undefined;

  /** The next line is a value that must not be seen. */
  get isHidden(): boolean {
    return this.#hidden !== undefined;
  }

  /** Says what a line means. */
  read(typed: string, open: readonly AskedRequest[]): LineMeaning {
    if (this.#hidden !== undefined) return this.#value(typed, open);
    for (const request of open) {
      const whole = wholeWords(request, typed, this.numbers.of(request.params.request_id));
      if (whole !== undefined) return { type: "say", text: whole };
    }
    const line = readAnswerLine(typed);
    if (line !== undefined) return this.#answer(line, open);
    const [first] = open;
    return first !== undefined && isAnswerWord(typed) ? this.#notSent(first) : { type: "other" };
  }

  /** To the agent the word would mean nothing, and a line that names no question answers none. */
  #notSent({ method, params }: AskedRequest): LineMeaning {
    const number = this.numbers.of(params.request_id);
    const lines =
      method === "approval" || method === "trust"
        ? `/allow ${number} or /deny ${number}`
        : `/answer ${number} with your answer, or /deny ${number}`;
    return { type: "say", text: `That answers nothing: question ${number} is answered with ${lines}.` };
  }

  #value(typed: string, open: readonly AskedRequest[]): LineMeaning {
    const asked = this.#hidden;
    this.#hidden = undefined;
    const id = asked?.params.request_id;
    const request = open.find(({ params }) => params.request_id === id);
    if (request === undefined)
      return { type: "say", text: "The question is over: what was typed went nowhere." };
    if (typed === "") return { type: "say", text: "Nothing was typed: the question is still open." };
    return { type: "answer", request, value: typed, note: "" };
  }

  #answer(line: AnswerLine, open: readonly AskedRequest[]): LineMeaning {
    const numbers = open.map(({ params }) => this.numbers.of(params.request_id));
    const request = open[numbers.indexOf(line.number ?? 0)];
    if (request === undefined) return { type: "say", text: missing(line, numbers) };
    const id = request.params.request_id;
    const intent = readIntent(request, line, { wasShown: this.#shown.has(id) });
    switch (intent.type) {
      case "answer":
        return { ...intent, request };
      case "hidden":
        this.#hidden = request;
        return { type: "say", text: "Type it now; it is not shown. Enter on nothing goes back." };
      case "say":
        if (line.verb === "allow" && /^always\b/i.test(line.words)) this.#shown.add(id);
        return intent;
    }
  }
}

function missing({ verb, number }: AnswerLine, open: readonly number[]): string {
  const which =
    open.length === 0
      ? "No question is open."
      : `Open: ${open.map((each) => `question ${each}`).join(", ")}.`;
  return number === undefined
    ? `Name the question: /${verb} and its number. ${which}`
    : `Question ${number} is not open, nothing was answered. ${which}`;
}
