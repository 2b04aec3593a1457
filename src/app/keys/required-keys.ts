import type { ToolAnswer, ToolContext } from "../../core/index.ts";
import type { LiveSettings } from "../config/live-settings.ts";

/** A key that somebody needs, and who that is. */
export interface RequiredKey {
  /** The name of a variable. */
  readonly name: string;
  /** For the person who is asked: who needs it and what sees it. */
  readonly reason: string;
  /** Commands need it, too. */
  readonly forCommands: boolean;
}

const KEPT = "In the .env file of the agent's home";
const ONCE = "Nowhere: only until this agent ends";
const ALWAYS = "Yes, from now on";
const YES_ONCE = "Yes, until this agent ends";
const NO = "No";

/**
 * Sees to it that a required key is there: asks the person for one that is not set, and keeps it where they say. A key that
 * is set, but that commands do not see, is shown to them only if the person allows it.
 *
 * @returns `undefined` when it is there; else why it is not, in words
 */
export async function provideKey(
  live: LiveSettings,
  context: Pick<ToolContext, "ask">,
  { name, reason, forCommands }: RequiredKey,
): Promise<string | undefined> {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${JSON.stringify(name.slice(0, 80))} is no name of a variable`;
  const isSet = (live.env[name] ?? "") !== "";
  if (isSet && (!forCommands || live.commandVariables.includes(name))) return undefined;
  if (isSet) {
    const question = `${reason} The variable ${name} is set. May commands see it?`;
    const answer = await context.ask({ kind: "clarify", question, choices: [ALWAYS, YES_ONCE, NO] });
    if (wordsOf(answer) === ALWAYS) await live.showToCommands(name, { always: true });
    else if (wordsOf(answer) === YES_ONCE) await live.showToCommands(name, { always: false });
    else return `commands may not see ${name}${because(answer)}`;
    return undefined;
  }
  const given = await context.ask({ kind: "secret", envVar: name, prompt: `${reason} ${name}:` });
  const value = wordsOf(given);
  if (value === "") return `${name} was not given${because(given)}`;
  const question = `Where is ${name} to be kept?`;
  const place = await context.ask({ kind: "clarify", question, choices: [KEPT, ONCE] });
  // Without a word it is not written anywhere.
  const always = wordsOf(place) === KEPT;
  await live.setVariable(name, value, { always });
  if (forCommands) await live.showToCommands(name, { always });
  return undefined;
}

const wordsOf = (answer: ToolAnswer): string => (answer.outcome === "answered" ? answer.text : "");

const because = (answer: ToolAnswer): string =>
  answer.outcome === "answered"
    ? ""
    : answer.outcome === "refused"
      ? `: ${answer.reason}`
      : ": nobody answered in time";
