import type { ElicitResult } from "@modelcontextprotocol/client";
import type { ToolAnswer, ToolQuestion } from "../../core/index.ts";
import { formField, type FormField, WrongAnswer } from "./form-field.ts";
import { visibleText } from "./visible-text.ts";

const LONGEST_MESSAGE = 2000;
const MOST_FIELDS = 20;
/** Times that a field is asked when its answers are wrong. */
const TRIES = 3;

const ACCEPT = "accept";
const DECLINE = "decline";
const SKIP = "skip";

/** A form that a server asks to be filled in. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[] | undefined;
  };
}

type Ask = (question: ToolQuestion) => Promise<ToolAnswer>;

/** The person who is asked declines, or cannot answer: the form is over. */
class Over extends Error {
  readonly action: "decline" | "cancel";

  constructor(action: "decline" | "cancel") {
    super(action);
    this.action = action;
  }
}

/** Fills in a server's form, with one question for each field. The person sees which server asks, and may decline. */
export async function fillForm(server: string, form: Form, ask: Ask): Promise<ElicitResult> {
  const { properties, required = [] } = form.requestedSchema;
  const fields = Object.entries(properties).map(([name, schema]) =>
    formField(name, schema, required.includes(name)),
  );
  const heading = `MCP server ${server} asks: ${visibleText(form.message, LONGEST_MESSAGE)}`;
  if (fields.length > MOST_FIELDS) return { action: "cancel" };
  try {
    if (fields.length === 0) {
      await answer(heading, [ACCEPT, DECLINE], ask);
      return { action: "accept", content: {} };
    }
    const content: Record<string, ReturnType<FormField["read"]>> = {};
    for (const field of fields) {
      const value = await valueOf(field, heading, ask);
      if (value !== undefined) content[field.name] = value;
    }
    return { action: "accept", content };
  } catch (thrown) {
    if (thrown instanceof Over) return { action: thrown.action };
    throw thrown;
  }
}

async function valueOf(
  field: FormField,
  heading: string,
  ask: Ask,
): Promise<ReturnType<FormField["read"]> | undefined> {
  const { choices, required, question } = field;
  const ways = required ? `"${DECLINE}" refuses` : `"${SKIP}" leaves it out, "${DECLINE}" refuses`;
  const offered = choices.length === 0 ? [] : [...choices, ...(required ? [] : [SKIP]), DECLINE];
  const asked = `${heading}\n\n${question}${choices.length === 0 ? ` [${ways}]` : ""}`;
  let problem = "";
  for (let tries = 0; tries < TRIES; tries += 1) {
    const text = await answer(problem === "" ? asked : `${asked}\n${problem}`, offered, ask);
    if (!required && (text.trim() === "" || text.trim().toLowerCase() === SKIP)) return undefined;
    try {
      return field.read(text);
    } catch (thrown) {
      if (!(thrown instanceof WrongAnswer)) throw thrown;
      problem = thrown.message;
    }
  }
  throw new Over("cancel");
}

async function answer(question: string, choices: readonly string[], ask: Ask): Promise<string> {
  const given = await ask({ kind: "clarify", question, choices });
  if (given.outcome !== "answered") throw new Over("cancel");
  if (given.text.trim().toLowerCase() === DECLINE) throw new Over("decline");
  return given.text;
}
