import {
  type KeptLine,
  lastPrompt,
  type RunHistory,
  type ShownText,
  type Token,
  tokensOf,
} from "./history.ts";

/** What may go wrong in a run, and what it means. */
export const VERDICTS = {
  lost: "an accepted prompt, text that a reader was shown, text of a turn that is said to be complete, or the trace of a command that ran is gone, or the reader was left with a hole",
  doubled:
    "a prompt, a piece of text or a command is there or was done twice, or the model gave the same reply twice",
  misordered: "text or prompts stand in another order than they were said in",
  stuck:
    "a turn neither ended nor could be stopped, or the conversation took no further prompt, within its time",
} as const;

/** A kind of verdict. */
export type Verdict = keyof typeof VERDICTS;

/** Something that must not be in a history, in words. */
export interface Finding {
  readonly verdict: Verdict;
  readonly text: string;
}

/** Finds all that must not be in the history of a conversation, whosever agent it was. */
export function checkRun(history: RunHistory): readonly Finding[] {
  const { kept = [], waiting } = history;
  const said = kept.filter(({ role }) => role === "agent");
  const inLog = tokensOf(said.map(({ text }) => text).join("\n"));
  const { view, ever } = readShown(history.shown);
  return [
    ...promptFindings(history, kept),
    ...lostText(history, { inLog, view, ever }),
    ...repeats("the reader", view),
    ...repeats("the conversation", inLog),
    ...disorder("the reader", view),
    ...disorder("the conversation", inLog),
    ...misplaced(kept),
    ...effectFindings(history, kept),
    ...replyFindings(history),
    ...waiting.map((text): Finding => ({ verdict: "stuck", text })),
  ];
}

const lost = (text: string): Finding => ({ verdict: "lost", text });
const doubled = (text: string): Finding => ({ verdict: "doubled", text });
const misordered = (text: string): Finding => ({ verdict: "misordered", text });
const keyOf = ({ prompt, place }: Token): string => `${prompt}-${place}`;

/** What a reader has in the end, and all that it ever had. */
function readShown(shown: readonly ShownText[]): {
  readonly view: readonly Token[];
  readonly ever: readonly Token[];
} {
  const ever = new Map<string, Token>();
  let text = "";
  const note = (): void => {
    for (const token of tokensOf(text)) ever.set(keyOf(token), token);
  };
  for (const each of shown) {
    if (each.type === "instead") note();
    text = each.type === "more" ? text + each.text : each.text;
  }
  note();
  return { view: tokensOf(text), ever: [...ever.values()] };
}

function* promptFindings(
  { prompts, kept }: RunHistory,
  lines: readonly KeptLine[],
): Generator<Finding, void> {
  if (kept === undefined) yield lost("the conversation cannot be read back");
  const there = lines.filter(({ role }) => role === "user").map(({ text }) => lastPrompt(text)?.number);
  for (const { number, accepted } of prompts) {
    const times = there.filter((each) => each === number).length;
    if (times === 0 && accepted && kept !== undefined)
      yield lost(`prompt ${number} was accepted and is gone`);
    if (times > 1) yield doubled(`prompt ${number} is there ${times} times`);
  }
  const order = prompts.map(({ number }) => number).filter((number) => there.includes(number));
  const found = [...new Set(there)].filter((number) => number !== undefined && order.includes(number));
  if (found.join() !== order.join()) yield misordered(`prompts ${order.join()} stand as ${found.join()}`);
}

interface Texts {
  readonly inLog: readonly Token[];
  readonly view: readonly Token[];
  readonly ever: readonly Token[];
}

function* lostText({ prompts, kept }: RunHistory, { inLog, view, ever }: Texts): Generator<Finding, void> {
  const logged = new Set(inLog.map(keyOf));
  const seen = new Set(view.map(keyOf));
  for (const { number, tokens, end } of prompts) {
    const places = Array.from({ length: tokens }, (_, place) => ({ prompt: number, place }));
    const gone = ever.filter((token) => token.prompt === number && !logged.has(keyOf(token)));
    if (gone.length > 0 && kept !== undefined)
      yield lost(`${gone.length} tokens of prompt ${number} were shown and are not kept`);
    const last = Math.max(-1, ...view.filter(({ prompt }) => prompt === number).map(({ place }) => place));
    const hole = places.filter((token) => token.place < last && !seen.has(keyOf(token)));
    if (hole.length > 0) yield lost(`the reader has a hole of ${hole.length} tokens in prompt ${number}`);
    if (end !== "completed") continue;
    const unsaid = places.filter((token) => !logged.has(keyOf(token)));
    if (unsaid.length > 0 && kept !== undefined)
      yield lost(`${unsaid.length} tokens of prompt ${number} are missing though its turn is complete`);
    const unseen = places.filter((token) => token.place > last);
    if (unseen.length > 0)
      yield lost(`the reader was not shown the last ${unseen.length} tokens of prompt ${number}`);
  }
}

function* repeats(whose: string, tokens: readonly Token[]): Generator<Finding, void> {
  const seen = new Set<string>();
  const again = new Map<number, number>();
  for (const token of tokens) {
    if (seen.has(keyOf(token))) again.set(token.prompt, (again.get(token.prompt) ?? 0) + 1);
    seen.add(keyOf(token));
  }
  for (const [prompt, count] of again)
    yield doubled(`${whose} has ${count} tokens of prompt ${prompt} again`);
}

/** Looks only at the first time of each: what comes again is doubled, not out of order. */
function* disorder(whose: string, tokens: readonly Token[]): Generator<Finding, void> {
  const firsts = new Map(tokens.toReversed().map((token) => [keyOf(token), token]));
  const highest = new Map<number, number>();
  const order = tokens.filter((token) => firsts.get(keyOf(token)) === token);
  for (const { prompt, place } of order) {
    const before = highest.get(prompt) ?? -1;
    if (place < before)
      return yield misordered(`${whose} has token ${place} of prompt ${prompt} behind ${before}`);
    highest.set(prompt, place);
  }
}

/** Text stands behind its prompt, and before the next one. */
function* misplaced(lines: readonly KeptLine[]): Generator<Finding, void> {
  const there = lines.filter(({ role }) => role === "user").map(({ text }) => lastPrompt(text)?.number);
  let current: number | undefined;
  for (const { role, text } of lines) {
    if (role === "user") current = lastPrompt(text)?.number;
    if (role !== "agent") continue;
    const other = tokensOf(text).find(({ prompt }) => prompt !== current && there.includes(prompt));
    if (other !== undefined)
      return yield misordered(`text of prompt ${other.prompt} stands under prompt ${current ?? "none"}`);
  }
}

function* effectFindings(
  { effects, kept }: RunHistory,
  lines: readonly KeptLine[],
): Generator<Finding, void> {
  for (const [prompt, times] of Map.groupBy(effects, (each) => each)) {
    if (times.length > 1) yield doubled(`the command of prompt ${prompt} ran ${times.length} times`);
    const isKept = lines.some(({ role, text }) => role === "call" && lastPrompt(text)?.number === prompt);
    if (!isKept && kept !== undefined)
      yield lost(`the command of prompt ${prompt} ran and the conversation does not have it`);
  }
}

function* replyFindings({ replies }: RunHistory): Generator<Finding, void> {
  const whole = replies.filter(({ isWhole }) => isWhole);
  for (const [, [first, ...again]] of Map.groupBy(whole, ({ prompt, step }) => `${prompt}-${step}`))
    if (first !== undefined && again.length > 0)
      yield doubled(`the model gave reply ${first.step} to prompt ${first.prompt} ${again.length + 1} times`);
}
