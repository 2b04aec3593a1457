import {
  checkKeys,
  checkTool,
  type Complain,
  isBase64,
  isObject,
  isText,
  type Json,
  NAME,
} from "./json-checks.ts";

const BODY_KEYS = [
  "model",
  "max_tokens",
  "system",
  "messages",
  "tools",
  "stream",
  "thinking",
  "output_config",
];
/** More marks for the cache are refused. */
const MOST_MARKS = 4;

/**
 * Judges the body of a messages request as the strictest endpoints do. Returns what is wrong with it; an empty list is
 * a legal request.
 */
export function messagesProblems(body: unknown): readonly string[] {
  const problems: string[] = [];
  const complain: Complain = (where, what) => void problems.push(`${where}: ${what}`);
  if (!isObject(body)) return ["body: no object"];
  checkKeys(body, BODY_KEYS, (what) => complain("body", what));
  const { model, max_tokens: limit, system, messages, tools, thinking } = body;
  if (!isText(model)) complain("model", "missing");
  if (!Number.isInteger(limit) || Number(limit) < 1) complain("max_tokens", "missing or too small");
  if (system !== undefined) checkBlocks(system, ["text"], (what) => complain("system", what));
  if (isObject(thinking)) checkThinking(thinking, Number(limit), (what) => complain("thinking", what));
  checkTools(tools, complain);
  if (JSON.stringify(body).split('"cache_control"').length - 1 > MOST_MARKS)
    complain("body", "too many cache marks");
  if (!Array.isArray(messages) || messages.length === 0) return [...problems, "messages: missing or empty"];
  checkMessages(messages, complain);
  return problems;
}

function checkThinking(
  { type, budget_tokens: budget }: Json,
  limit: number,
  complain: (what: string) => void,
): void {
  if (type === "adaptive") return;
  if (type !== "enabled") complain(`unknown type ${String(type)}`);
  if (!(Number(budget) >= 1024 && Number(budget) < limit)) complain("a budget out of range");
}

function checkTools(tools: unknown, complain: Complain): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools) || tools.length === 0) return complain("tools", "an empty list");
  const names = new Set<unknown>();
  for (const [place, tool] of tools.entries()) {
    const { name, description, input_schema: schema } = isObject(tool) ? tool : {};
    checkTool({ name, description, schema }, names, (what) => complain(`tools[${place}]`, what));
  }
}

function checkMessages(messages: readonly unknown[], complain: Complain): void {
  const known = new Set<string>();
  let open = new Set<string>();
  let before: unknown;
  for (const [place, message] of messages.entries()) {
    const say = (what: string): void => complain(`messages[${place}]`, what);
    const { role, content } = isObject(message) ? message : {};
    if (role === before) say("follows another of its role");
    if (role === "assistant") open = checkReply(content, known, say);
    else if (role === "user") open = checkUser(content, open, say);
    else say(`unknown role ${String(role)}`);
    before = role;
  }
  if (open.size > 0) complain("messages", "the last calls have no results");
  if (before !== "user") complain("messages", "the last one is not the user's");
  if (!isObject(messages[0]) || messages[0]["role"] !== "user")
    complain("messages", "the first one is not the user's");
}

/** Results come first, all of them, and only for the message before. */
function checkUser(content: unknown, open: Set<string>, complain: (what: string) => void): Set<string> {
  checkBlocks(content, ["text", "image", "tool_result"], complain);
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  let over = false;
  for (const block of blocks) {
    if (block["type"] !== "tool_result") {
      over = true;
      continue;
    }
    if (over) complain("a result after something else");
    if (!open.delete(String(block["tool_use_id"])))
      complain("a result for a call that was not made or has one");
    checkBlocks(block["content"], ["text", "image"], complain);
  }
  if (open.size > 0) complain(`calls without results: ${[...open].join(", ")}`);
  return new Set();
}

function checkReply(content: unknown, known: Set<string>, complain: (what: string) => void): Set<string> {
  checkBlocks(content, ["text", "tool_use", "thinking", "redacted_thinking"], complain);
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const open = new Set<string>();
  for (const { type, id, name, input } of blocks) {
    if (type !== "tool_use") {
      if (type === "text" && open.size > 0) complain("text after a call");
      continue;
    }
    if (typeof id !== "string" || !/^[A-Za-z0-9_-]+$/.test(id)) complain("a call without a usable id");
    if (known.has(String(id))) complain(`the id ${String(id)} is used twice`);
    if (typeof name !== "string" || !NAME.test(name)) complain(`illegal name ${String(name)}`);
    if (!isObject(input)) complain("input is no object");
    known.add(String(id));
    open.add(String(id));
  }
  const last = blocks.at(-1)?.["type"];
  if (last === "thinking" || last === "redacted_thinking") complain("thinking at its end");
  return open;
}

function checkBlocks(content: unknown, types: readonly string[], complain: (what: string) => void): void {
  if (!Array.isArray(content) || content.length === 0) return complain("empty content");
  for (const block of content) {
    if (!isObject(block)) {
      complain("a block that is no object");
      continue;
    }
    const { type, text, thinking, signature, source } = block;
    if (!types.includes(String(type))) complain(`unknown block ${String(type)}`);
    if (type === "text" && !isText(text)) complain("an empty text");
    if (type === "thinking" && (typeof thinking !== "string" || !isText(signature)))
      complain("unsigned thinking");
    if (type === "image" && !isImage(source)) complain("an image that is none");
    if (type !== "text" && type !== "image" && type !== "tool_result" && "cache_control" in block)
      complain("a cache mark where none may be");
  }
}

const FORMATS = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const isImage = (source: unknown): boolean =>
  isObject(source) &&
  source["type"] === "base64" &&
  FORMATS.includes(String(source["media_type"])) &&
  isBase64(source["data"]);
