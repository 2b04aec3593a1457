import {
  checkKeys,
  checkTool,
  type Complain,
  isImageUrl,
  isObject,
  isObjectText,
  isText,
  type Json,
  NAME,
} from "./json-checks.ts";

const BODY_KEYS = [
  "model",
  "instructions",
  "input",
  "tools",
  "stream",
  "store",
  "max_output_tokens",
  "reasoning",
  "include",
  "prompt_cache_key",
];

/**
 * Judges the body of a responses request as the strictest endpoints do. Returns what is wrong with it; an empty list
 * is a legal request.
 */
export function responsesProblems(body: unknown): readonly string[] {
  const problems: string[] = [];
  const complain: Complain = (where, what) => void problems.push(`${where}: ${what}`);
  if (!isObject(body)) return ["body: no object"];
  checkKeys(body, BODY_KEYS, (what) => complain("body", what));
  const { model, instructions, input, tools, max_output_tokens: limit } = body;
  if (!isText(model)) complain("model", "missing");
  if (instructions !== undefined && !isText(instructions)) complain("instructions", "empty");
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) >= 16))
    complain("max_output_tokens", "too small");
  checkTools(tools, complain);
  if (!Array.isArray(input) || input.length === 0) return [...problems, "input: missing or empty"];
  checkInput(input, complain);
  return problems;
}

function checkTools(tools: unknown, complain: Complain): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools) || tools.length === 0) return complain("tools", "an empty list");
  const names = new Set<unknown>();
  for (const [place, tool] of tools.entries()) {
    const { type, name, description, parameters } = isObject(tool) ? tool : {};
    if (type !== "function") complain(`tools[${place}]`, "no function");
    checkTool({ name, description, schema: parameters }, names, (what) => complain(`tools[${place}]`, what));
  }
}

/** Calls and results that belong together, as an endpoint follows them through the input. */
class Following {
  readonly #known = new Set<string>();
  readonly #open = new Set<string>();
  #owed: string | undefined;

  item(item: Json, complain: (what: string) => void): void {
    const type = item["type"] ?? "message";
    if (this.#owed !== undefined && type === "function_call_output")
      complain(`reasoning without its following item: ${this.#owed}`);
    this.#owed = undefined;
    switch (type) {
      case "message":
        if (this.#open.size > 0) complain(`calls without results: ${[...this.#open].join(", ")}`);
        return checkMessage(item, complain);
      case "function_call":
        return this.#call(item, complain);
      case "function_call_output":
        return this.#result(item, complain);
      case "reasoning":
        this.#owed = "the input goes on with something else";
        return checkReasoning(item, complain);
      default:
        complain("an unknown item");
    }
  }

  end(complain: (what: string) => void): void {
    if (this.#open.size > 0) complain("the last calls have no results");
    if (this.#owed !== undefined) complain("reasoning at the end");
  }

  #call(item: Json, complain: (what: string) => void): void {
    const { call_id: id, name, arguments: text } = item;
    checkKeys(item, ["type", "call_id", "name", "arguments"], complain);
    if (typeof id !== "string" || id === "" || id.length > 64) complain("a call without a usable id");
    if (this.#known.has(String(id))) complain(`the id ${String(id)} is used twice`);
    if (typeof name !== "string" || !NAME.test(name)) complain(`illegal name ${String(name)}`);
    if (!isObjectText(text)) complain("arguments are no JSON object");
    this.#known.add(String(id));
    this.#open.add(String(id));
  }

  #result({ call_id: id, output }: Json, complain: (what: string) => void): void {
    if (!this.#open.delete(String(id)))
      complain(`a result for ${String(id)}, which was not asked for or has one`);
    if (!isText(output)) checkParts(output, complain);
  }
}

function checkInput(input: readonly unknown[], complain: Complain): void {
  const following = new Following();
  for (const [place, item] of input.entries()) {
    if (isObject(item)) following.item(item, (what) => complain(`input[${place}]`, what));
    else complain(`input[${place}]`, "no object");
  }
  following.end((what) => complain("input", what));
  const last = input.at(-1);
  if (isObject(last) && last["role"] === "assistant") complain("input", "nothing to answer");
}

function checkMessage(item: Json, complain: (what: string) => void): void {
  const { role, content } = item;
  checkKeys(item, ["type", "role", "content", "phase"], complain);
  if (role !== "user" && role !== "assistant") complain(`unknown role ${String(role)}`);
  if (isText(content)) return;
  if (role === "assistant") complain("an assistant's message that is no text");
  checkParts(content, complain);
}

function checkParts(content: unknown, complain: (what: string) => void): void {
  if (!Array.isArray(content) || content.length === 0) return complain("empty content");
  for (const part of content) {
    const { type, text, image_url: url } = isObject(part) ? part : {};
    if (type === "input_text" && !isText(text)) complain("an empty text part");
    else if (type === "input_image" && !isImageUrl(url)) complain("an image that is no data address");
    else if (type !== "input_text" && type !== "input_image") complain(`unknown part ${String(type)}`);
  }
}

function checkReasoning(item: Json, complain: (what: string) => void): void {
  const { summary, encrypted_content: encrypted, content } = item;
  if (!Array.isArray(summary)) complain("reasoning without a summary list");
  if (!isText(encrypted) && !Array.isArray(content)) complain("reasoning with nothing in it");
}
