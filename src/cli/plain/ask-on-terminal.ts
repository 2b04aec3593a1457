import { HostError, type QuestionRequest, type Session } from "../../core/index.ts";
import { forTerminal } from "../../tui/terminal-text.ts";
import type { Io } from "../io.ts";
import { LineInput } from "./line-input.ts";
import { answerTo, questionText } from "./question-lines.ts";

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
  const hidden = request.type === "sudo.request" || request.type === "secret.request";
  lines.print(`\n${questionText(request)}\n`);
  lines.prompt("> ", { hidden });
  try {
    while (!over.signal.aborted) {
      const typed = await lines.next(over.signal);
      if (typed === undefined) break;
      if (typed.type !== "line") return interrupt();
      const answer = answerTo(request, typed.text);
      if (answer === undefined) lines.print("Please type one of the numbers.\n");
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

/** Aborts `over` when the question ends in any other way. */
async function watchEnd(session: Session, requestId: string, over: AbortController): Promise<void> {
  const { signal } = over;
  for await (const event of session.events({ after: session.cursor, signal, live: false })) {
    if ("resolution" in event && event.requestId === requestId) over.abort();
  }
}
