import { errorRecord, HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import { type EntryStatus, type InboxEntry, isOver, onceOf, promptIdOf } from "../inbox/entry.ts";
import { LiveAnswer } from "../sending/live-answer.ts";
import { beginPrompt, type BegunPrompt, type PromptContent } from "./begin-prompt.ts";
import { type ChatParts, originOf } from "./chat-parts.ts";
import { followPrompt, type FollowedEnd, wasDelivered } from "./follow-prompt.ts";
import { isHostCommand, runCommand } from "./run-command.ts";
import { type OpenCard, ShownQuestions } from "./shown-questions.ts";
import { cutWords, failureWords, tooLongWords } from "./words.ts";

/** A prompt whose turn the end of a process cut short is sent again so often, when no tool had begun. */
const MOST_RUNS = 3;

/** The surroundings in which messages are answered. */
export interface AnswerContext {
  readonly parts: ChatParts;
  /** The open questions of the message's place. */
  readonly open: Map<string, OpenCard>;
  readonly nameOf: (client: string) => string;
  /** The files of a message as parts of its prompt, and what could not be taken, in words. */
  readonly filesOf: (
    entry: InboxEntry,
    signal: AbortSignal,
  ) => Promise<{
    readonly files: PromptContent["files"];
    readonly refused: readonly string[];
  }>;
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
  let entry = await parts.inbox.get(id);
  while (entry !== undefined && !isOver(entry)) {
    signal.throwIfAborted();
    entry = await new MessageRun(context, entry).run();
  }
}

/** One run of a message: its prompt, its turn, its answer. */
class MessageRun {
  readonly #context: AnswerContext;
  #entry: InboxEntry;

  constructor(context: AnswerContext, entry: InboxEntry) {
    this.#context = context;
    this.#entry = entry;
  }

  /** @returns the entry when it has to be run once more */
  async run(): Promise<InboxEntry | undefined> {
    using answer = this.#answer();
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

  async #carryOut(answer: LiveAnswer): Promise<InboxEntry | undefined> {
    const { parts, filesOf, signal } = this.#context;
    const { leftOut, text } = this.#message;
    if (leftOut !== undefined) return await this.#say(answer, tooLongWords(leftOut));
    let words = text;
    if (this.#entry.status === "accepted" && isHostCommand(text)) {
      const outcome = await this.#command();
      if ("say" in outcome) return await this.#say(answer, outcome.say);
      words = outcome.prompt;
    }
    const { files, refused } = await filesOf(this.#entry, signal);
    const said = [words, ...refused.map((why) => `(${why})`)]
      .filter((each) => each.trim() !== "")
      .join("\n\n");
    if (said === "" && files.length === 0)
      return await this.#say(answer, "There is nothing in your message that I can read.");
    const begun = await beginPrompt(parts, this.#entry, { text: said, files });
    this.#entry = begun.entry;
    if (begun.steered) return await this.#steered(answer, begun);
    const end = await this.#follow(begun.session, answer);
    return await this.#ended(answer, end);
  }

  /** The running turn answers it; when that ended before it was read, it is a prompt of its own. */
  async #steered(answer: LiveAnswer, { session, words }: BegunPrompt): Promise<InboxEntry | undefined> {
    const { parts, signal } = this.#context;
    const { client } = originOf(parts.platform.name, this.#message.from);
    const steered = { text: words, client, after: this.#entry.after ?? 0, signal };
    if (!(await wasDelivered(session, steered))) return await this.#again();
    return await this.#end(answer, { status: "answered", text: "" });
  }

  async #command() {
    try {
      return await runCommand(this.#context.parts, this.#entry, this.#context.signal);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (this.#context.signal.aborted || error.code === "internal" || error.code.startsWith("store_"))
        throw error;
      return { say: error.message };
    }
  }

  async #follow(session: Parameters<typeof followPrompt>[0], answer: LiveAnswer): Promise<FollowedEnd> {
    const { parts, open, nameOf, signal } = this.#context;
    const entry = this.#entry;
    const questions = new ShownQuestions({
      parts,
      entry,
      session,
      open,
      nameOf,
      note: (questions) => this.#note({ questions }),
      signal,
    });
    try {
      return await followPrompt(
        session,
        { promptId: promptIdOf(entry), after: entry.after ?? 0, signal },
        {
          started: () => undefined,
          text: (all) => answer.show(all),
          question: (request) => questions.show(request),
          resolved: (event) => questions.resolve(event),
        },
      );
    } finally {
      await questions.end();
    }
  }

  async #ended(answer: LiveAnswer, end: FollowedEnd): Promise<InboxEntry | undefined> {
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
      if (!end.acted && this.#entry.run < MOST_RUNS) return await this.#again();
    }
    const { turnId, text } = end;
    const why = failureWords(end, this.#entry.id);
    const isFailure = end.outcome === "failed" || end.outcome === "interrupted";
    const error = isFailure ? (end.error?.message ?? end.reason ?? end.outcome) : undefined;
    return await this.#end(answer, {
      status: isFailure ? "failed" : "answered",
      text: why === "" ? text : cutWords(text, why),
      turnId,
      ...defined({ error }),
    });
  }

  /** The prompt is sent once more; what of the answer is there already is written over. */
  async #again(): Promise<InboxEntry | undefined> {
    const { sessionId: _session, after: _after, turnId: _turn, ...rest } = this.#entry;
    return await this.#change((now) => ({
      ...rest,
      ...defined({ parts: now.parts }),
      status: "accepted",
      run: now.run + 1,
    }));
  }

  #say(answer: LiveAnswer, text: string): Promise<undefined> {
    return this.#end(answer, { status: "answered", text });
  }

  /** Tells the place, and notes the end. What cannot be sent now goes to the outbox. */
  async #end(answer: LiveAnswer, { status, text, error, turnId }: Ending): Promise<undefined> {
    const { parts, signal } = this.#context;
    let unsent: string | undefined;
    try {
      if (text !== "") await answer.finish(text);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const failure = toHostError(thrown);
      unsent = failure.message;
      const { partsSent = 0, uncertain } = failure.details;
      await parts.sendLater({ entry: this.#entry, text, partsSent, uncertain: uncertain === true });
    }
    const endedAt = parts.clock.now();
    await this.#change((now) => ({
      ...now,
      status,
      endedAt,
      ...defined({ turnId, error: error ?? unsent }),
    }));
    return undefined;
  }

  #answer(): LiveAnswer {
    const { parts, signal } = this.#context;
    const { id } = this.#entry;
    const { place, messageId } = this.#message;
    return new LiveAnswer({
      ...parts,
      place,
      ...defined({ replyTo: place.kind === "channel" ? messageId : undefined }),
      before: this.#entry.parts ?? [],
      onceOf: (index) => onceOf({ id, run: this.#entry.run }, index),
      note: (sent) => this.#note({ parts: sent }),
      signal,
    });
  }

  async #note(change: Partial<InboxEntry>): Promise<void> {
    await this.#change((now) => ({ ...now, ...change }));
  }

  async #change(change: (now: InboxEntry) => InboxEntry): Promise<InboxEntry | undefined> {
    const { inbox, platform } = this.#context.parts;
    const { repeatsMs } = platform.limits;
    const changed = await inbox.change(this.#entry.id, change, { repeatsMs });
    if (changed !== undefined) this.#entry = changed;
    return changed;
  }

  get #message(): IncomingMessage {
    // Only messages are answered.
    return this.#entry.event as IncomingMessage;
  }
}
