import { Conversation, historyEdits } from "./conversation.ts";
import { textPart } from "../events/content.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { EventNamed, Row } from "../events/events.ts";
import { loadRows } from "./load-conversation.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { Model } from "../ports/model.ts";
import type { ModelMessage } from "../ports/model-message.ts";
import type { Services } from "../ports/services.ts";
import type { Range, SessionState } from "../state/state.ts";
import { chooseSummaryRange } from "./summary-range.ts";
import { estimateText, estimateTokens } from "./tokens.ts";
import { NO_USAGE, type Usage } from "../events/usage.ts";

type Compress = EventNamed<"history.compress" | "history.compress_failed">;

export const NOTHING_OLDER = "There is nothing older than the newest exchange to summarize.";

/** The context of a compression: the log, and the model that summarizes it. */
export interface CompressionContext {
  readonly writer: LogWriter;
  readonly services: Services;
  readonly model: Model;
  readonly signal: AbortSignal;
}

/**
 * Asks the model for a summary of the older part of the conversation and gives the row that puts it in place, or the
 * row that says why there is none. Nothing is appended here.
 *
 * @param options - `keep`: tokens of the newest messages that stay as they are; `focus`: what the summary must not lose
 */
export async function compressConversation(
  { writer, services, model, signal }: CompressionContext,
  options: { readonly keep: number; readonly automatic: boolean; readonly focus?: string },
): Promise<Compress> {
  const { log } = writer;
  await writer.settled();
  const { state } = log;
  const rows = await loadRows(log, state);
  const range = chooseSummaryRange(rows, options.keep);
  if (range === undefined) return failed(NOTHING_OLDER, NO_USAGE);
  const messages = messagesIn(state, rows, range);
  const tokensBefore = estimateTokens(messages);
  try {
    const { summary, usage } = await summarize({ writer, services, model, signal }, messages, options.focus);
    const tokensAfter = estimateText(summary);
    if (summary === "") return failed("The model gave no summary.", usage);
    if (tokensAfter >= tokensBefore)
      return failed("The summary was no shorter than what it stood for.", usage);
    return {
      type: "history.compress",
      ...range,
      summary,
      tokensBefore,
      tokensAfter,
      usage,
      automatic: options.automatic,
    };
  } catch (thrown) {
    signal.throwIfAborted();
    return failed(toHostError(thrown).message, NO_USAGE);
  }
}

const failed = (reason: string, usage: Usage): Compress => ({
  type: "history.compress_failed",
  reason,
  usage,
});

function messagesIn(state: SessionState, rows: readonly Row[], range: Range): readonly ModelMessage[] {
  const marks = historyEdits(state, rows);
  const inside = marks.compressions.filter(({ from, to }) => from >= range.from && to <= range.to);
  const conversation = new Conversation({ ...marks, compressions: inside });
  for (const row of rows) if (row.seq > range.from && row.seq <= range.to) conversation.push(row);
  return conversation.history();
}

const INSTRUCTIONS = `Summarize the conversation above for the assistant who will go on with it and will see only your summary.
Keep: what the user wants and decided, constraints and preferences, what was done and found (files, commands, results, numbers, names, ids exactly), what failed and why, what is still open and the next step.
Leave out: pleasantries and anything that has been superseded. Write plain text, dense, at most 1500 words. Do not answer the conversation, do not call tools.`;

/** Characters of a tool result that the summary is made from. */
const RESULT_CHARACTERS = 2000;

async function summarize(
  { writer, services, model, signal }: CompressionContext,
  messages: readonly ModelMessage[],
  focus: string | undefined,
): Promise<{ readonly summary: string; readonly usage: Usage }> {
  const request = focus === undefined ? INSTRUCTIONS : `${INSTRUCTIONS}\nPay special attention to: ${focus}`;
  const texts: string[] = [];
  let usage: Usage = { ...NO_USAGE, calls: 1 };
  const stream = model.stream({
    system: "You summarize conversations between a user and an AI agent.",
    messages: withRequest(shortened(messages), request),
    tools: [],
    cacheKey: writer.log.id,
    signal,
    loadBlob: ({ hash }) => services.store.getBlob(hash),
  });
  for await (const part of stream) {
    if (part.type === "text") texts.push(part.text);
    if (part.type === "usage") usage = { ...part.usage, calls: 1 };
  }
  signal.throwIfAborted();
  return { summary: texts.join("").trim(), usage };
}

function withRequest(messages: readonly ModelMessage[], request: string): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", parts: [textPart(request)] }];
  return [...messages.slice(0, -1), { role: "user", parts: [...last.parts, textPart(request)] }];
}

function shortened(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== "tool") return message;
    const results = message.results.map((result) => ({
      ...result,
      content: result.content.map((part) =>
        part.type === "text" && part.text.length > RESULT_CHARACTERS
          ? textPart(`${part.text.slice(0, RESULT_CHARACTERS)} […]`.toWellFormed())
          : part,
      ),
    }));
    return { role: "tool" as const, results };
  });
}
