/** A tool call that a prompt asks for; `input` is as the host's own tools take it. */
export interface DemoCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The action that a prompt asks of the demo model. */
export type DemoIntent =
  | { readonly type: "calls"; readonly calls: readonly DemoCall[] }
  | { readonly type: "think"; readonly about: string }
  | { readonly type: "count"; readonly to: number }
  | { readonly type: "fail"; readonly how: string }
  | { readonly type: "greet" }
  | { readonly type: "echo"; readonly text: string };

const MOST_COUNTED = 100_000;

/** Reads a prompt. Several calls may be joined: `read a.txt and run ls`. */
export function intentOf(prompt: string): DemoIntent {
  const text = prompt.trim();
  const joined = text
    .split(/\b(?:and|then)\b/i)
    .map((part) => part.trim().replace(/,$/, "").trimEnd())
    .filter((part) => part !== "");
  const calls = joined.map(callIn);
  if (calls.length > 1 && calls.every((each) => each !== undefined)) return { type: "calls", calls };
  const single = callIn(text);
  if (single !== undefined) return { type: "calls", calls: [single] };
  const about = /^think(?:\s+(?:about|of|hard about))?\b[\s:]*(.*)$/is.exec(text)?.[1];
  if (about !== undefined) return { type: "think", about: about.trim() };
  const count = /^(?:please\s+)?count\s+to\s+(\d+)/i.exec(text)?.[1];
  if (count !== undefined) return { type: "count", to: Math.min(Number(count), MOST_COUNTED) };
  const how = /^(?:please\s+)?fail\b[\s:]*(.*)$/is.exec(text)?.[1];
  if (how !== undefined) return { type: "fail", how: how.trim().toLowerCase() };
  if (
    text === "" ||
    /^(hi|hello|hey|help|good (morning|day|evening)|what can you do|who are you)\b/i.test(text)
  )
    return { type: "greet" };
  return { type: "echo", text };
}

/** Patterns in the order in which they are tried; each makes a call of what it captured. */
const CALL_PATTERNS: readonly {
  readonly pattern: RegExp;
  readonly call: (captured: readonly string[]) => DemoCall;
}[] = [
  {
    pattern: /^edit\s+(\S+?)\s*:?\s+(?:and\s+)?(?:replace|change)\s+(.+?)\s+(?:with|by|to)\s+(.+)$/is,
    call: ([path = "", from = "", to = ""]) => ({
      tool: "edit_file",
      input: { path: plain(path), old_text: plain(from), new_text: plain(to) },
    }),
  },
  {
    pattern: /^(?:write|create)\s+([^\s:]+)\s*(?::|with(?:\s+content)?|\s)\s*(.+)$/is,
    call: ([path = "", content = ""]) => ({
      tool: "write_file",
      input: { path: plain(path), content: plain(content) },
    }),
  },
  {
    pattern: /^(?:run|execute)\s+(.+)$/is,
    call: ([command = ""]) => ({ tool: "terminal", input: { command: plain(command) } }),
  },
  {
    pattern: /^(?:read|show|open)\s+(?:the\s+file\s+)?(\S+)$/i,
    call: ([path = ""]) => ({ tool: "read_file", input: { path: plain(path) } }),
  },
  {
    pattern: /^list(?:\s+the)?(?:\s+files)?(?:\s+(?:in|of|under)\s+(\S+))?$/i,
    call: ([path]) => ({ tool: "list_files", input: path === undefined ? {} : { path: plain(path) } }),
  },
  {
    pattern: /^(?:search|look|grep)\s+(?:for\s+)?(.+?)(?:\s+in\s+(\S+))?$/is,
    call: ([pattern = "", path]) => ({
      tool: "search_files",
      input:
        path === undefined ? { pattern: plain(pattern) } : { pattern: plain(pattern), path: plain(path) },
    }),
  },
  {
    pattern: /^ask\s+me\b[\s:]*(.*)$/is,
    call: ([question = ""]) => ({
      tool: "clarify",
      input:
        question === ""
          ? { question: "Which colour do you like best?", choices: ["red", "green", "blue"] }
          : { question },
    }),
  },
  {
    pattern: /^(?:todo|plan)\b[\s:]*(.*)$/is,
    call: ([list = ""]) => ({ tool: "todo", input: { todos: todosOf(list) } }),
  },
];

function callIn(text: string): DemoCall | undefined {
  const asked = text.replace(/^please\s+/i, "").replace(/[.!]$/, "");
  for (const { pattern, call } of CALL_PATTERNS) {
    const match = pattern.exec(asked);
    if (match !== null) return call(match.slice(1));
  }
  return undefined;
}

/** Without quotes or backticks around it. */
const plain = (text: string): string => /^(["'`])(.*)\1$/s.exec(text.trim())?.[2] ?? text.trim();

function todosOf(list: string): readonly Readonly<Record<string, string>>[] {
  const named = list
    .split(/[,;\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
  const items = named.length > 0 ? named : ["Look around", "Try a tool", "Ask a question"];
  return items.map((content, place) => ({
    id: String(place + 1),
    content,
    status: place === 0 ? "in_progress" : "pending",
  }));
}
