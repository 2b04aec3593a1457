import { Conversation, marksOf, type ModelMessage } from "./conversation.ts";
import { textPart } from "./content.ts";
import { HostError, toHostError } from "./errors.ts";
import type { DurableEvent, Row } from "./events.ts";
import { loadRows } from "./load-conversation.ts";
import type { SessionLog } from "./log.ts";
import type { Model } from "./model.ts";
import type { Services } from "./services.ts";
import type { Range, SessionState } from "./state.ts";
import { estimateText, estimateTokens } from "./tokens.ts";
import type { TurnContext, TurnStep } from "./turn-context.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

/** After this many attempts in a row that did not help, the turn tries no more. */
const FAILURES = 2;
/** Of the context window, what stays word for word. */
const KEPT_SHARE = 0.25;

type Compress = Extract<DurableEvent, { type: "history.compress" | "history.compress_failed" }>;

/**
 * Compresses the past when the next request would not fit, or nearly not.
 *
 * @throws HostError `context_exhausted` when the newest exchange alone does not fit, or all does not after two attempts
 *   in a row that did not help
 */
export async function* makeRoom(
  turn: TurnContext,
  { overflowed }: { readonly overflowed: boolean },
): AsyncGenerator<TurnStep, void> {
  const { log, services, signal } = turn;
  const { enabled, at } = services.policy().compression;
  for (;;) {
    const model = turn.model();
    const conversation = await turn.conversation();
    const tokens = requestTokens(log, conversation.messages());
    if (!overflowed && (!enabled || tokens <= model.contextLength * at)) return;
    if (log.ahead.compressFailures >= FAILURES) {
      // A summary that cannot be had is no reason to refuse what still fits.
      if (!overflowed && tokens <= model.contextLength) return;
      throw exhausted(tokens, model);
    }
    yield { type: "status.update", kind: "compacting", text: "Summarizing the conversation so far" };
    const target = Math.min(model.contextLength, tokens) * KEPT_SHARE;
    const event = await compress({ log, services, model, signal }, { keep: target, automatic: true });
    if (event.type === "history.compress_failed" && event.reason === NOTHING_OLDER) {
      if (!overflowed && tokens <= model.contextLength) return;
      throw tooLong(tokens, model);
    }
    yield [event];
    if (event.type === "history.compress") return;
  }
}

/** Tokens of the next request: what the provider counted last, and an estimate of what came since. */
function requestTokens({ ahead }: SessionLog, messages: readonly ModelMessage[]): number {
  if (ahead.contextTokens === 0) return estimateTokens(messages);
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  return ahead.contextTokens + estimateTokens(messages.slice(lastReply + 1));
}

export interface CompressWith {
  readonly log: SessionLog;
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
export async function compress(
  { log, services, model, signal }: CompressWith,
  options: { readonly keep: number; readonly automatic: boolean; readonly focus?: string },
): Promise<Compress> {
  await log.arrived();
  const { state } = log;
  const rows = await loadRows(log, state);
  const range = chooseRange(rows, options.keep);
  if (range === undefined) return failed(NOTHING_OLDER, NO_USAGE);
  const messages = messagesIn(state, rows, range);
  const tokensBefore = estimateTokens(messages);
  try {
    const { summary, usage } = await summarize({ log, services, model, signal }, messages, options.focus);
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

/**
 * The older rows that a summary can replace: all before the start of a turn, with what an earlier summary stood for;
 * or, when one turn is all there is, its rounds up to a point where no call is open. The newest prompt stays.
 *
 * @param rows - as requests use them, see `loadRows`
 * @param keep - estimated tokens after the cut
 */
function chooseRange(rows: readonly Row[], keep: number): Range | undefined {
  return newestThatKeeps(turnCuts(rows), keep) ?? newestThatKeeps(roundCuts(rows), keep);
}

interface Cut extends Range {
  /** Estimated tokens between this cut and the next. */
  size: number;
}

function newestThatKeeps(cuts: readonly Cut[], keep: number): Range | undefined {
  let kept = 0;
  for (const { from, to, size } of cuts.toReversed()) {
    kept += size;
    if (kept >= keep) return { from, to };
  }
  const oldest = cuts[0];
  return oldest && { from: oldest.from, to: oldest.to };
}

function turnCuts(rows: readonly Row[]): readonly Cut[] {
  const cuts: Cut[] = [];
  let turns = 0;
  for (const { event, seq } of rows) {
    if (event.type === "turn.start" || event.type === "history.given") turns += 1;
    if (event.type === "turn.start" && turns > 1) cuts.push({ from: 0, to: seq - 1, size: 0 });
    grow(cuts, event);
  }
  return cuts;
}

function roundCuts(rows: readonly Row[]): readonly Cut[] {
  const cuts: Cut[] = [];
  const start = rows.findLast(({ event }) => event.type === "turn.start");
  if (start === undefined) return cuts;
  const open = new Set<string>();
  let rounds = 0;
  for (const { event, seq } of rows) {
    if (seq <= start.seq) continue;
    if (event.type === "reply.complete") {
      if (rounds > 0 && open.size === 0) cuts.push({ from: start.seq, to: seq - 1, size: 0 });
      for (const { id } of event.calls) open.add(id);
      rounds += 1;
    }
    if (event.type === "tool.complete") open.delete(event.callId);
    grow(cuts, event);
  }
  return cuts;
}

function grow(cuts: readonly Cut[], event: DurableEvent): void {
  const last = cuts.at(-1);
  if (last !== undefined) last.size += estimateText(JSON.stringify(event));
}

function messagesIn(state: SessionState, rows: readonly Row[], range: Range): readonly ModelMessage[] {
  const marks = marksOf(state, rows);
  const inside = marks.compressions.filter(({ from, to }) => from >= range.from && to <= range.to);
  const conversation = new Conversation({ ...marks, compressions: inside });
  for (const row of rows) if (row.seq > range.from && row.seq <= range.to) conversation.push(row);
  return conversation.history();
}

const INSTRUCTIONS = `Summarize the conversation above for the assistant who will go on with it and will see only your summary.
Keep: what the user wants and decided, constraints and preferences, what was done and found (files, commands, results, numbers, names, ids exactly), what failed and why, what is still open and the next step.
Leave out: pleasantries and anything that has been superseded. Write plain text, dense, at most 1500 words. Do not answer the conversation, do not call tools.`;

/** Tool results longer than this say little more in full to who summarizes. */
const RESULT_CHARACTERS = 2000;

async function summarize(
  { log, services, model, signal }: CompressWith,
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
    cacheKey: log.id,
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

const NOTHING_OLDER = "There is nothing older than the newest exchange to summarize.";

/** No summary helps: what is too long is what nobody may shorten. */
function tooLong(tokens: number, model: Model): HostError {
  return new HostError(
    "context_exhausted",
    `The newest exchange alone has about ${tokens} tokens, and ${model.name} takes ${model.contextLength}. Send less at once, name files instead of their text, or choose a model with a larger context.`,
  );
}

function exhausted(tokens: number, model: Model): HostError {
  return new HostError(
    "context_exhausted",
    `The conversation has about ${tokens} tokens, ${model.name} takes ${model.contextLength}, and summarizing it failed ${FAILURES} times. Undo some turns, start a new session, or choose a model with a larger context.`,
  );
}
