import { type Complain, isObject, isObjectText, isText, type Json, NAME } from "./json-checks.ts";

/**
 * Judges the body of a chat completions request as the strictest endpoints do, which refuse what the looser ones
 * forgive. Returns what is wrong with it; an empty list is a legal request.
 */
export function chatProblems(body: unknown): readonly string[] {
  const problems: string[] = [];
  const complain = (where: string, what: string): void => void problems.push(`${where}: ${what}`);
  if (!isObject(body)) return ["body: no object"];
  for (const key of Object.keys(body)) if (!BODY_KEYS.has(key)) complain("body", `unknown field ${key}`);
  if (typeof body["model"] !== "string" || body["model"] === "") complain("model", "missing");
  checkTools(body["tools"], complain);
  if (body["stream_options"] !== undefined && body["stream"] !== true)
    complain("stream_options", "without stream");
  if (body["max_tokens"] !== undefined && body["max_completion_tokens"] !== undefined)
    complain("body", "two output limits");
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0) return [...problems, "messages: missing or empty"];
  checkMessages(messages, complain);
  return problems;
}

const BODY_KEYS = new Set([
  "model",
  "messages",
  "tools",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "prompt_cache_key",
]);

const MESSAGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_calls", "reasoning_content", "reasoning", "reasoning_details"],
  tool: ["role", "tool_call_id", "content"],
};

const LONGEST_ID = 64;

function checkTools(tools: unknown, complain: Complain): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools) || tools.length === 0)
    return complain("tools", "neither absent nor a list with something in it");
  const names = new Set<unknown>();
  for (const [place, tool] of tools.entries()) {
    const body =
      isObject(tool) && tool["type"] === "function" && isObject(tool["function"]) ? tool["function"] : {};
    const { name, description, parameters } = body;
    if (typeof name !== "string" || !NAME.test(name)) complain(`tools[${place}]`, "illegal name");
    if (names.has(name)) complain(`tools[${place}]`, "name used twice");
    if (typeof description !== "string") complain(`tools[${place}]`, "no description");
    if (!isObject(parameters) || parameters["type"] !== "object")
      complain(`tools[${place}]`, "parameters are no object schema");
    names.add(name);
  }
}

function checkMessages(messages: readonly unknown[], complain: Complain): void {
  const known = new Set<string>();
  let open = new Set<string>();
  for (const [place, message] of messages.entries()) {
    const where = `messages[${place}]`;
    if (!isObject(message)) {
      complain(where, "no object");
      continue;
    }
    const role = String(message["role"]);
    const keys = MESSAGE_KEYS[role];
    if (keys === undefined) complain(where, `unknown role ${role}`);
    for (const key of Object.keys(message))
      if (keys?.includes(key) === false) complain(where, `unknown field ${key}`);
    if (role !== "tool" && open.size > 0) complain(where, `calls without results: ${[...open].join(", ")}`);
    if (role !== "tool") open = new Set();
    if (role === "system" && place > 0) complain(where, "a system message that is not the first");
    if (role === "tool") checkResult(message, open, (what) => complain(where, what));
    else if (role === "assistant") open = checkAssistant(message, known, (what) => complain(where, what));
    else checkContent(message["content"], (what) => complain(where, what));
  }
  if (open.size > 0) complain("messages", "the last calls have no results");
  const last = messages.at(-1);
  if (isObject(last) && last["role"] === "assistant")
    complain("messages", "nothing to answer: the last one is the assistant's");
  const first = messages.find((message) => isObject(message) && message["role"] !== "system");
  if (!isObject(first) || first["role"] !== "user") complain("messages", "the first one is not the user's");
}

function checkResult(message: Json, open: Set<string>, complain: (what: string) => void): void {
  const id = String(message["tool_call_id"]);
  if (!open.delete(id)) complain(`a result for ${id}, which was not asked for or has one`);
  if (!isText(message["content"])) complain("empty content");
}

function checkAssistant(message: Json, known: Set<string>, complain: (what: string) => void): Set<string> {
  const { content, tool_calls: calls } = message;
  const open = new Set<string>();
  if (calls === undefined) {
    if (!isText(content)) complain("neither content nor calls");
    return open;
  }
  if (content !== null && !(typeof content === "string" && content !== ""))
    complain("empty content beside calls");
  if (!Array.isArray(calls) || calls.length === 0) complain("calls are no list with something in it");
  for (const call of Array.isArray(calls) ? calls : []) {
    const { id, type, function: body } = isObject(call) ? call : {};
    const { name, arguments: text } = isObject(body) ? body : {};
    if (typeof id !== "string" || id === "" || id.length > LONGEST_ID) complain("a call without a usable id");
    if (known.has(String(id))) complain(`the id ${String(id)} is used twice`);
    if (type !== "function") complain("a call that is no function");
    if (typeof name !== "string" || !NAME.test(name)) complain(`illegal function name ${String(name)}`);
    if (!isObjectText(text)) complain("arguments are no JSON object");
    known.add(String(id));
    open.add(String(id));
  }
  return open;
}

function checkContent(content: unknown, complain: (what: string) => void): void {
  if (isText(content)) return;
  if (!Array.isArray(content) || content.length === 0) return complain("empty content");
  for (const part of content) {
    const { type, text, image_url: image } = isObject(part) ? part : {};
    if (type === "text" && !isText(text)) complain("an empty text part");
    else if (type === "image_url" && !isImage(image)) complain("an image that is no data address");
    else if (type !== "text" && type !== "image_url") complain(`unknown part ${String(type)}`);
  }
}

function isImage(image: unknown): boolean {
  if (!isObject(image)) return false;
  const { url, detail = "auto" } = image;
  return (
    typeof url === "string" &&
    /^data:image\/[a-z+.-]+;base64,[A-Za-z0-9+/]+=*$/.test(url) &&
    ["auto", "low", "high"].includes(String(detail))
  );
}
