import { z } from "zod";
import { type AnyTool, type Toolset, defineTool, textPart } from "../../../core/index.ts";
import type { Memory, MemoryChange, MemoryFile } from "./memory.ts";

/** The tool that remembers things from one conversation to the next. */
export function memoryToolset(memory: Memory): Toolset {
  return {
    name: "memory",
    label: "Memory",
    description: "Remember facts from one conversation to the next",
    tools: [memoryTool(memory)],
    guidance: GUIDANCE,
    configured: true,
  };
}

const GUIDANCE =
  "Remember with the memory tool what will still matter in later conversations: what the user prefers and corrects, how their environment and projects are set up, what you had to find out the hard way. Keep entries short. Leave out what the present task alone needs, what is easy to look up again, and secrets.";

const input = z.object({
  action: z.enum(["add", "replace", "remove", "list"]),
  target: z
    .enum(["memory", "user"])
    .default("memory")
    .describe("`memory`: what you learnt; `user`: who you work for and what they prefer"),
  content: z.string().optional().describe("For add and replace: the entry, one or two sentences"),
  old_text: z.string().optional().describe("For replace and remove: some words that only this entry has"),
});

function memoryTool(memory: Memory): AnyTool {
  return defineTool({
    name: "memory",
    toolset: "memory",
    description:
      "Adds, replaces, removes or lists what is remembered from one conversation to the next. Changes show in the system prompt of later conversations.",
    kind: "think",
    effect: "idempotent",
    changes: "nothing",
    input,
    label: ({ action, target, content, old_text: old }) =>
      `${LABELS[action]} ${target}${action === "list" ? "" : `: ${content ?? old ?? ""}`}`.slice(0, 80),
    permit: ({ action }) =>
      Promise.resolve({ verdict: "allow", ...(action === "list" ? {} : { changes: true }) }),
    async run(call, { session, signal }) {
      const { target } = call;
      const scope = session.memoryScope;
      const change = changeOf(call);
      const file =
        change === undefined
          ? await memory.file(target, scope)
          : await memory.change(change, { target, scope, signal });
      const used = `${file.entries.length} entries, ${file.size} of ${file.budget} characters`;
      const text = change === undefined ? listing(file, used) : `Done. ${target} has ${used}.`;
      return { outcome: "ok", content: [textPart(text)], summary: used };
    },
  });
}

const LABELS = { add: "Remember in", replace: "Change in", remove: "Forget from", list: "List" } as const;

/** @throws Error that tells the model which argument is missing */
function changeOf({ action, content, old_text: oldText }: z.output<typeof input>): MemoryChange | undefined {
  switch (action) {
    case "list":
      return undefined;
    case "add":
      return { action, content: needed(content, "content", action) };
    case "replace":
      return {
        action,
        content: needed(content, "content", action),
        oldText: needed(oldText, "old_text", action),
      };
    case "remove":
      return { action, oldText: needed(oldText, "old_text", action) };
  }
}

function needed(value: string | undefined, name: string, action: string): string {
  if (value === undefined) throw new Error(`The action ${action} needs ${name}.`);
  return value;
}

function listing({ entries }: MemoryFile, used: string): string {
  if (entries.length === 0) return "Nothing is remembered yet.";
  return [...entries.map((words) => `- ${words}`), `(${used})`].join("\n");
}
