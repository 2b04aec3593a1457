import type { QuestionAnswer, QuestionRequest, Session } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { encodeOpenRequest } from "../../rpc/encode/question.ts";
import { answerFromLine, isHidden, questionWords, wholeWords } from "../../tui/plain/question-words.ts";
import { forTerminal } from "../../tui/terminal/terminal-text.ts";
import type { Io } from "../../app/process/io.ts";
import { unifiedDiff } from "../../app/rpc/unified-diff.ts";
import { LineInput } from "../terminal/line-input.ts";

/**
 * Asks a question of the turn on the terminal and answers it; when it is over before, that is said. All of it goes to
 * stderr: stdout is the answer's.
 *
 * @param interrupt - called for Ctrl+C
 */
export async function askOnTerminal(
  io: Io,
  { session, request }: { readonly session: Session; readonly request: QuestionRequest },
  interrupt: () => void,
): Promise<void> {
  const over = new AbortController();
  const watching = watchEnd(session, request.requestId, over);
  using lines = new LineInput(io, io.stderr);
  const asked = encodeOpenRequest(session.id, request, unifiedDiff);
  const hidden = isHidden(asked);
  lines.print(`\n${questionWords(asked)}\n`);
  lines.prompt("> ", { hidden });
  try {
    while (!over.signal.aborted) {
      const typed = await lines.next(over.signal);
      if (typed === undefined) break;
      if (typed.type !== "line") return interrupt();
      const whole = wholeWords(asked, typed.text);
      const answer = answerOf(request, answerFromLine(asked, typed.text));
      if (whole !== undefined) lines.print(`\n${whole}\n`);
      else if (answer === undefined) lines.print("Please type one of the numbers.\n");
      else
        return void (await session.answer(request.requestId, answer, {
          surface: "cli",
          client: String(io.pid),
        }));
      lines.prompt("> ", { hidden });
    }
    lines.print("(The question is over.)\n");
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    lines.print(`${forTerminal(thrown.message)}\n`);
  } finally {
    over.abort();
    await watching;
  }
}

function answerOf(request: QuestionRequest, text: string | undefined): QuestionAnswer | undefined {
  if (text === undefined) return undefined;
  if (request.type !== "approval.request") return { text };
  const choice = request.choices.find((each) => each === text);
  return choice === undefined ? undefined : { choice };
}

/** Aborts `over` when the question ends in any other way. */
async function watchEnd(session: Session, requestId: string, over: AbortController): Promise<void> {
  const { signal } = over;
  for await (const event of session.events({ after: session.cursor, signal, live: false })) {
    if ("resolution" in event && event.requestId === requestId) over.abort();
  }
}
