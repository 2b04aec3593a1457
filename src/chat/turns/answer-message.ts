import { errorRecord, fromErrorRecord, HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import { type EntryStatus, type InboxEntry, isOver, promptIdOf } from "../inbox/entry.ts";
import { beginPrompt, type BegunPrompt, begunPrompt } from "./begin-prompt.ts";
import { ChatAnswer } from "./chat-answer.ts";
import { type ChatParts, originOf } from "./chat-parts.ts";
import { followPrompt, type FollowedEnd, wasDelivered } from "./follow-prompt.ts";
import type { PromptFiles } from "./prompt-files.ts";
import { isHostCommand, runCommand } from "./run-command.ts";
import { type OpenCard, ShownQuestions } from "./shown-questions.ts";
import { untilStored } from "./until-stored.ts";
import { cutWords, failureWords, inBrackets, isForOperator, tooLongWords } from "./words.ts";

/** A prompt whose turn the end of a process cut short is sent again so often, when no tool had begun. */
const MOST_RUNS = 3;

/** The surroundings in which messages are answered. */
export interface AnswerContext {
  readonly parts: ChatParts;
  /** The open questions of the message's place. */
  readonly open: Map<string, OpenCard>;
  readonly filesOf: PromptFiles;
  readonly signal: AbortSignal;
}

/** The end of a message: what its place is told, and what is noted. */
interface Ending {
  readonly status: EntryStatus;
  readonly text: string;
  readonly error?: string;
  readonly turnId?: string;
}

/**
 * Answers an accepted message, or goes on where an earlier process left it: it ends in an answer or in a failure that its
 * sender sees. Rejects only when this process ends first; the next one goes on.
 */
export async function answerMessage(context: AnswerContext, id: string): Promise<void> {
  const { parts, signal } = context;
  let entry = await untilStored(parts, signal, () => parts.inbox.get(id));
  while (entry !== undefined && !isOver(entry)) {
    signal.throwIfAborted();
    entry = await new MessageRun(context, entry).run();
  }
}

/** Tells the sender of an accepted message why it is not taken, as its answer. */
export async function refuseMessage(context: AnswerContext, id: string, why: string): Promise<void> {
  const { parts, signal } = context;
  const entry = await untilStored(parts, signal, () => parts.inbox.get(id));
  if (entry !== undefined && !isOver(entry)) await new MessageRun(context, entry).refuse(why);
}

/** One run of a message: its prompt, its turn, its answer. */
class MessageRun {
  readonly #context: AnswerContext;
  readonly #run: number;
  #entry: InboxEntry;

  constructor(context: AnswerContext, entry: InboxEntry) {
    this.#context = context;
    this.#run = entry.run;
    this.#entry = entry;
  }

  /** @returns the entry when it has to be run once more */
  async run(): Promise<InboxEntry | undefined> {
    await using answer = this.#answer();
    try {
      return await this.#carryOut(answer);
    } catch (thrown) {
      const error = toHostError(thrown);
      // The host is closing: the next process takes it up.
      if (this.#context.signal.aborted || error.code === "draining" || error.code === "interrupted")
        throw error;
      this.#context.parts.report(error);
      await this.#end(answer, {
        status: "failed",
        text: failureWords({ outcome: "failed", error: errorRecord(error) }, this.#entry.id),
        error: error.message,
      });
      return undefined;
    }
  }

  async refuse(why: string): Promise<void> {
    await using answer = this.#answer();
    await this.#say(answer, why);
  }

  async #carryOut(answer: ChatAnswer): Promise<InboxEntry | undefined> {
    const { parts, filesOf, signal } = this.#context;
    const there = await begunPrompt(parts, this.#entry);
    if (there !== undefined) return await this.#ended(answer, await this.#follow(there.session, answer));
    const { leftOut, text } = this.#message;
    if (leftOut !== undefined) return await this.#say(answer, tooLongWords(leftOut));
    let words = text;
    if (this.#entry.status === "accepted" && isHostCommand(text)) {
      const outcome = await this.#command();
      if ("say" in outcome) return await this.#say(answer, outcome.say);
      words = outcome.prompt;
    }
    const { pictures, notes, refused } = await filesOf(this.#entry, signal);
    if (words.trim() === "" && pictures.length === 0 && notes.length === 0)
      return await this.#say(
        answer,
        inBrackets(refused) || "There is nothing in your message that I can read.",
      );
    const said = [words, inBrackets([...notes, ...refused])]
      .filter((each) => each.trim() !== "")
      .join("\n\n");
    const begun = await beginPrompt(parts, this.#entry, { text: said, pictures, refused });
    // It was changed, or taken back, while its files were got.
    if (begun === undefined) return await parts.inbox.get(this.#entry.id);
    this.#entry = begun.entry;
    if (begun.steered) return await this.#steered(answer, begun);
    const end = await this.#follow(begun.session, answer);
    return await this.#ended(answer, end);
  }

  /** The running turn answers it; when that ended before it was read, it is a prompt of its own. */
  async #steered(answer: ChatAnswer, { session, words }: BegunPrompt): Promise<InboxEntry | undefined> {
    const { parts, signal } = this.#context;
    const { client } = originOf(parts.platform.name, this.#message.from);
    const steered = { text: words, client, after: this.#entry.after ?? 0, signal };
    if (!(await wasDelivered(session, steered))) return await this.#again(answer);
    return await this.#end(answer, { status: "answered", text: "" });
  }

  async #command() {
    try {
      return await runCommand(this.#context.parts, this.#entry, this.#context.signal);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (this.#context.signal.aborted || isForOperator(error)) throw error;
      return { say: error.message };
    }
  }

  async #follow(session: Parameters<typeof followPrompt>[0], answer: ChatAnswer): Promise<FollowedEnd> {
    const { parts, open, signal } = this.#context;
    const entry = this.#entry;
    const questions = new ShownQuestions({
      parts,
      entry,
      session,
      open,
      note: (questions) => this.#note({ questions }),
      signal,
    });
    try {
      return await followPrompt(
        session,
        { promptId: promptIdOf(entry), after: entry.after ?? 0, signal },
        {
          started: () => undefined,
          text: (all) => answer.show(this.#withRefused(all)),
          files: (callId, files) => answer.hand(callId, files),
          question: (request) => questions.show(request),
          resolved: (event) => questions.resolve(event),
        },
      );
    } finally {
      await questions.end();
    }
  }

  async #ended(answer: ChatAnswer, end: FollowedEnd): Promise<InboxEntry | undefined> {
    const { parts, signal } = this.#context;
    if (!("turnId" in end)) {
      signal.throwIfAborted();
      if (end.outcome === "missing")
        throw new HostError("session_not_found", "The conversation was deleted meanwhile.");
      return await this.#end(answer, { status: "withdrawn", text: "(Your message was taken back.)" });
    }
    if (end.outcome === "interrupted") {
      // Its process is ending, and the next one goes on with the message.
      if (signal.aborted || parts.host.draining) throw new HostError("interrupted", "This process ends.");
      if (!end.acted && this.#entry.run < MOST_RUNS) return await this.#again(answer);
    }
    const { turnId, text } = end;
    const why = failureWords(end, this.#entry.id);
    const isFailure = end.outcome === "failed" || end.outcome === "interrupted";
    const error = isFailure ? (end.error?.message ?? end.reason ?? end.outcome) : undefined;
    if (end.error !== undefined && isForOperator(end.error)) parts.report(fromErrorRecord(end.error));
    return await this.#end(answer, {
      status: isFailure ? "failed" : "answered",
      text: why === "" ? text : cutWords(text, why),
      turnId,
      ...defined({ error }),
    });
  }

  /** The prompt is sent once more; what of the answer is there already is written over. */
  async #again(answer: ChatAnswer): Promise<InboxEntry | undefined> {
    // A message that is on its way is the next run's as well: it must know that it is there.
    await answer.stop();
    const { sessionId: _session, after: _after, turnId: _turn, refused: _refused, ...rest } = this.#entry;
    const run = this.#run;
    return await this.#change((now) => ({
      ...rest,
      ...defined({ parts: now.parts }),
      status: "accepted",
      run: run + 1,
      // What of it is on its way has its ids.
      answerRun: now.answerRun ?? run,
    }));
  }

  #say(answer: ChatAnswer, text: string): Promise<undefined> {
    return this.#end(answer, { status: "answered", text });
  }

  /** Tells the place, and notes the end. What cannot be sent now goes to the outbox. */
  async #end(answer: ChatAnswer, { status, text: said, error, turnId }: Ending): Promise<undefined> {
    const { parts } = this.#context;
    const unsent = await answer.finish(this.#withRefused(said));
    const endedAt = parts.clock.now();
    await this.#change((now) => ({
      ...now,
      status,
      endedAt,
      ...defined({ turnId, error: error ?? unsent }),
    }));
    return undefined;
  }

  /** An answer begins with what of the message was not taken: its sender is told, whatever the model says of it. */
  #withRefused(text: string): string {
    return [inBrackets(this.#entry.refused ?? []), text].filter((each) => each !== "").join("\n\n");
  }

  #answer(): ChatAnswer {
    const { parts, signal } = this.#context;
    return new ChatAnswer({
      parts,
      entry: () => this.#entry,
      note: async (change) => void (await this.#change((now) => ({ ...now, ...change(now) }))),
      signal,
    });
  }

  async #note(change: Partial<InboxEntry>): Promise<void> {
    await this.#change((now) => ({ ...now, ...change }));
  }

  async #change(change: (now: InboxEntry) => InboxEntry): Promise<InboxEntry | undefined> {
    const { parts, signal } = this.#context;
    const { repeatsMs } = parts.platform.limits;
    const { id } = this.#entry;
    // Whoever has ended it, or runs it anew, has the last word.
    const ifOurs = (now: InboxEntry) => (isOver(now) || now.run !== this.#run ? undefined : change(now));
    const changed = await untilStored(parts, signal, () => parts.inbox.change(id, ifOurs, { repeatsMs }));
    if (changed?.run === this.#run) this.#entry = changed;
    return changed;
  }

  get #message(): IncomingMessage {
    // Only messages are answered.
    return this.#entry.event as IncomingMessage;
  }
}
