import type { QuestionAnswer, QuestionRequest, Session } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { encodeOpenRequest } from "../../rpc/encode/question.ts";
import { defined } from "../../shared/json/defined.ts";
import type { LineAnswers, LineMeaning } from "../../tui/plain/line-answers.ts";
import { questionWords } from "../../tui/plain/question-words.ts";
import { forTerminal } from "../../tui/terminal/terminal-text.ts";
import type { Io } from "../../app/process/io.ts";
import { unifiedDiff } from "../../app/rpc/unified-diff.ts";
import { LineInput } from "../terminal/line-input.ts";

/** A question of a turn, and the reader of the lines that answer. */
interface AskedQuestion {
  readonly session: Session;
  readonly request: QuestionRequest;
  readonly answers: LineAnswers;
}

/**
 * Asks a question of the turn on the terminal and answers it; when it is over before, that is said. All of it goes to
 * stderr: stdout is the answer's.
 *
 * @param interrupt - called for Ctrl+C
 */
export async function askOnTerminal(
  io: Io,
  { session, request, answers }: AskedQuestion,
  interrupt: () => void,
): Promise<void> {
  const over = new AbortController();
  const watching = watchEnd(session, request.requestId, over);
  using lines = new LineInput(io, io.stderr);
  const asked = encodeOpenRequest(session.id, request, unifiedDiff);
  lines.say(`\n${questionWords(asked, answers.numbers.of(request.requestId))}\n`);
  lines.prompt("> ");
  try {
    while (!over.signal.aborted) {
      const typed = await lines.next(over.signal);
      if (typed === undefined) break;
      if (typed.type !== "line") return interrupt();
      const meaning = answers.read(typed.text, [asked]);
      if (meaning.type === "answer") {
        const from = { surface: "cli", client: String(io.pid) };
        return void (await session.answer(request.requestId, answerOf(request, meaning), from));
      }
      lines.say(`${meaning.type === "say" ? meaning.text : NO_ANSWER}\n`);
      lines.prompt(answers.isHidden ? "unseen: " : "> ", { hidden: answers.isHidden });
    }
    lines.say("(The question is over.)\n");
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    lines.say(`${forTerminal(thrown.message)}\n`);
  } finally {
    over.abort();
    await watching;
  }
}

const NO_ANSWER = "That answers nothing: the question says how it is answered.";

function answerOf(
  request: QuestionRequest,
  { value, note }: Extract<LineMeaning, { type: "answer" }>,
): QuestionAnswer {
  if (request.type !== "approval.request") return { text: value };
  const [word, scope] = value.split(" ", 2);
  const choice = request.choices.find((each) => each === word) ?? "deny";
  return { choice, ...defined({ scope, text: note === "" ? undefined : note }) };
}

/** Aborts `over` when the question ends in any other way. */
async function watchEnd(session: Session, requestId: string, over: AbortController): Promise<void> {
  const { signal } = over;
  for await (const event of session.events({ after: session.cursor, signal, live: false })) {
    if ("resolution" in event && event.requestId === requestId) over.abort();
  }
}
