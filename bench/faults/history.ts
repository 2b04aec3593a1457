/** How the end of a turn was told to whoever asked for it; `untold`: nobody said that it is over. */
export type ToldEnd = "completed" | "failed" | "stopped" | "untold";

/** A prompt as its sender knows it. */
export interface AskedPrompt {
  readonly number: number;
  /** How many tokens the model says to it when nothing goes wrong. */
  readonly tokens: number;
  /** The agent confirmed it, or began to answer it. */
  readonly accepted: boolean;
  readonly end: ToldEnd;
  /** What the agent said of an end that is none of a whole answer. */
  readonly why?: string;
}

/** What a reader was shown: further text, or text in the place of all before it. */
export interface ShownText {
  readonly type: "more" | "instead";
  readonly text: string;
}

/** A request for a reply as the model had it; `step` counts the replies of a turn, one after each call. */
export interface AskedReply {
  readonly prompt: number;
  readonly step: number;
  /** The model said all of it. */
  readonly isWhole: boolean;
}

/** A line of a conversation as it was read back when all was over. */
export interface KeptLine {
  readonly role: "user" | "agent" | "call";
  readonly text: string;
}

/** A record of all that was asked, shown, done and kept in one conversation under one fault. */
export interface RunHistory {
  /** In the order in which they were sent. */
  readonly prompts: readonly AskedPrompt[];
  readonly shown: readonly ShownText[];
  readonly replies: readonly AskedReply[];
  /** The numbers of the prompts whose command ran, a number for each time. */
  readonly effects: readonly number[];
  /** `undefined` when the conversation could not be read back. */
  readonly kept: readonly KeptLine[] | undefined;
  /** What did not happen within its time, in words. */
  readonly waiting: readonly string[];
}

/** A word of the model: the `place`th one of its reply to a prompt. */
export interface Token {
  readonly prompt: number;
  readonly place: number;
}

/** Writes a token; each is said once to each prompt, so that what is lost, doubled or out of place can be told. */
export const tokenText = ({ prompt, place }: Token): string => `w${prompt}-${place}; `;

/** The tokens of a text, in its order. */
export const tokensOf = (text: string): readonly Token[] =>
  [...text.matchAll(/w(\d+)-(\d+);/g)].map(([, prompt, place]) => ({
    prompt: Number(prompt),
    place: Number(place),
  }));

/** The name of a prompt, which its text, its command and what the command writes have in common. */
export const promptName = (number: number): string => `prompt-${number}`;

/** The number of the last prompt that a text names. */
export const lastPrompt = (text: string): { readonly number: number; readonly at: number } | undefined => {
  const found = [...text.matchAll(/prompt-(\d+)\b/g)].at(-1);
  return found === undefined ? undefined : { number: Number(found[1]), at: found.index };
};
