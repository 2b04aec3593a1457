import { counted } from "../../shared/text/counted.ts";
import { shortCommand } from "../../shared/text/process-words.ts";
import type { Entry, ToolCard } from "../state/entry.ts";
import type { Finished, ViewState } from "../state/view-state.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { entryWords } from "./entry-words.ts";
import { callTitle } from "../state/tools.ts";
import { QuestionNumbers } from "./question-numbers.ts";
import { questionWords } from "./question-words.ts";

/** The view in lines that are only ever added to: no cursor movement, no spinner, nothing is said twice. */
export class PlainView {
  readonly #print: (text: string) => void;
  /** Calls of which is said that they run. */
  #running: ReadonlySet<string> = new Set();
  /** The call that was named last. */
  #lastCall = "";
  /** Ends the block of code that is being printed. */
  #fence = false;
  #lastKind: Entry["kind"] | undefined;
  #asked: ReadonlySet<string> = new Set();
  readonly #numbers: QuestionNumbers;
  #status = "";
  #queued: ReadonlySet<string> = new Set();
  #beside: ReadonlySet<string> = new Set();
  /** What was typed here stands there already. */
  #typed = "";

  constructor(print: (text: string) => void, numbers = new QuestionNumbers()) {
    this.#numbers = numbers;
    this.#print = print;
  }

  /** A prompt was typed: its echo need not be printed. */
  typed(text: string): void {
    this.#typed = text;
  }

  /** Prints what is new. */
  show(view: ViewState): void {
    for (const finished of view.finished) this.#entry(finished);
    for (const card of view.tools) if (!this.#running.has(card.id)) this.#name(card);
    this.#running = new Set(view.tools.map(({ id }) => id));
    this.#besides(view);
    this.#waiting(view);
    if (view.status !== this.#status && view.status !== "") this.#line(`(${forTerminalLine(view.status)})`);
    this.#status = view.status;
    this.#questions(view);
  }

  #entry({ entry, apart }: Finished): void {
    if (entry.kind === "user" && entry.from === "" && entry.text === this.#typed) {
      this.#typed = "";
      return;
    }
    const isText = entry.kind === "answer" || entry.kind === "code";
    const goesOn = entry.kind === "code" && entry.continues;
    if (this.#fence && !goesOn) {
      this.#fence = false;
      this.#line("```");
    }
    if (entry.kind === "tool") this.#name(entry.card);
    if (isText && apart && (this.#lastKind === "answer" || this.#lastKind === "code")) this.#line("");
    if (entry.kind === "code" && !entry.continues) {
      this.#line(`\`\`\`${entry.language}`);
      this.#fence = true;
    }
    const words = entryWords(entry);
    if (words !== "") this.#line(words);
    this.#lastKind = entry.kind;
  }

  #name(card: ToolCard): void {
    if (this.#lastCall !== card.id) this.#line(`* ${callTitle(card)}`);
    this.#lastCall = card.id;
  }

  /** Says what begins in the background, and how much runs there; the end of each is an entry. */
  #besides(view: ViewState): void {
    const { processes, background } = view;
    const running = [
      ...processes.map(({ id, command }) => ({ id, text: shortCommand(command) })),
      ...background,
    ];
    const begun = running.filter(({ id }) => !this.#beside.has(id));
    const fewer = running.length < this.#beside.size + begun.length;
    this.#beside = new Set(running.map(({ id }) => id));
    for (const { text } of begun) this.#line(`(in the background: ${forTerminalLine(text)})`);
    if (begun.length > 0 || fewer) this.#line(`(${running.length} running; /processes lists what runs)`);
  }

  #waiting({ queue }: ViewState): void {
    const reader = queue.filter(({ id }) => !this.#queued.has(id));
    this.#queued = new Set(queue.map(({ id }) => id));
    const held = reader.filter((each) => each.held).length;
    const them = held === 1 ? "it" : "them";
    if (held > 0)
      this.#line(
        `(held back: ${counted(held, "prompt")}; /confirm sends ${them}, /confirm drop takes ${them} back)`,
      );
    for (const { text } of reader.filter((each) => !each.held))
      this.#line(`(queued: ${forTerminalLine(text)})`);
  }

  #questions({ questions }: ViewState): void {
    const open = questions.map(({ request }) => request);
    for (const request of open.filter(({ params }) => !this.#asked.has(params.request_id)))
      this.#line(questionWords(request, this.#numbers.of(request.params.request_id)));
    this.#asked = new Set(open.map(({ params }) => params.request_id));
  }

  #line(text: string): void {
    this.#print(`${text}\n`);
  }
}
