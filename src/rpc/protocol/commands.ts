import { z } from "zod";
import { method, sessionMethod } from "./method.ts";
import { named } from "./shapes.ts";

/** The outcome of a slash command, which the client acts on. */
export const Dispatched = named(
  "Dispatched",
  z.object({
    type: z.enum(["exec", "alias", "send", "prefill", "skill"]),
    output: z.string().optional(),
    target: z.string().optional(),
    message: z.string().optional(),
    notice: z.string().optional(),
    /** The skill that `message` brings along. */
    name: z.string().optional(),
    /** An event of the session says the same as `output`. */
    told: z.boolean().optional(),
    /** Go on in this session. */
    session_id: z.string().optional(),
    /** Leave the client. */
    exit: z.boolean().optional(),
  }),
);

/** The outcome of a slash command. */
export type Dispatched = z.output<typeof Dispatched>;

const CompletionItemShape = z.object({ text: z.string(), display: z.string(), meta: z.string() });

/** A text that could be typed next. */
export type CompletionItem = z.output<typeof CompletionItemShape>;

/** Slash commands, completion, and commands of the machine. */
export const COMMAND_METHODS = {
  "commands.catalog": sessionMethod({
    summary: "All slash commands; with a session those of its folder's skills too.",
    params: z.object({ session_id: z.string().optional() }),
    result: z.object({
      pairs: z.array(z.tuple([z.string(), z.string()])),
      sub: z.record(z.string(), z.array(z.string())),
      canon: z.record(z.string(), z.string()),
      categories: z.array(z.object({ name: z.string(), pairs: z.array(z.tuple([z.string(), z.string()])) })),
      commands: z.record(
        z.string(),
        z.object({ description: z.string(), args: z.string(), category: z.string() }),
      ),
      skills: z.record(z.string(), z.string()),
      skill_count: z.number(),
      warning: z.string(),
    }),
  }),
  "command.resolve": method({
    summary: "The slash command that a name, alias or beginning means.",
    params: z.object({ name: z.string().min(1) }),
    result: z.object({ canonical: z.string(), description: z.string(), category: z.string() }),
    codes: { unknown_command: 4011 },
    wrong: { name: 4011 },
  }),
  "command.dispatch": sessionMethod({
    summary: "Runs a slash command: `name` and `arg`, or both in `command`.",
    params: z.object({
      name: z.string().optional(),
      arg: z.string().default(""),
      command: z.string().optional(),
      session_id: z.string().optional(),
    }),
    result: Dispatched,
    about: "arg",
  }),
  "slash.exec": sessionMethod({
    summary: "Runs a slash command and gives what it says, or what else it leads to.",
    params: z.object({ command: z.string(), session_id: z.string().optional() }),
    result: Dispatched.partial().extend({ warning: z.string().optional() }),
    about: "command",
  }),
  "complete.slash": sessionMethod({
    summary: "What a slash command that is being typed may become; `replace_from` is where it starts.",
    params: z.object({ text: z.string(), session_id: z.string().optional() }),
    result: z.object({ items: z.array(CompletionItemShape), replace_from: z.number() }),
  }),
  "complete.path": sessionMethod({
    summary: "What a path or an `@` reference that is being typed may become.",
    params: z.object({ word: z.string(), cwd: z.string().optional(), session_id: z.string().optional() }),
    result: z.object({ items: z.array(CompletionItemShape) }),
    codes: { internal: 5021 },
  }),
  "cli.exec": method({
    summary:
      "Runs this program with arguments, for `timeout` seconds and 600 at most, and gives what it prints; commands that need a terminal are refused.",
    params: z.object({ argv: z.array(z.string()), timeout: z.number().min(1).default(240) }),
    result: z.object({
      blocked: z.boolean(),
      code: z.number(),
      output: z.string(),
      hint: z.string().optional(),
    }),
    codes: { timeout: 5016, tool_failed: 5017 },
    wrong: { argv: 4003 },
  }),
  "shell.exec": sessionMethod({
    summary:
      "Runs a command of the shell in the session's folder, for 30 s at most. With a `stream_id` it runs until it ends or `shell.stop` ends it, its output comes as `shell.output`, and `stdout` has both outputs in their order. With `keep` the output goes along with the session's next prompt.",
    params: z.object({
      command: z.string().trim().min(1),
      session_id: z.string().optional(),
      stream_id: z.string().min(1).max(100).optional(),
      keep: z.boolean().default(false),
    }),
    result: z.object({
      stdout: z.string(),
      stderr: z.string(),
      code: z.number(),
      stopped: z.boolean().optional(),
      /** Ends of lines that were printed, with a `stream_id`: `stdout` may have only the last ones. */
      lines: z.number().optional(),
      /** Its id in the background, where it goes on (`process.background`). */
      background: z.string().optional(),
    }),
    codes: { outside_workspace: 4005, timeout: 5002, tool_failed: 5003 },
    wrong: { command: 4004 },
  }),
  "shell.stop": method({
    summary: "Ends a command that this client runs with `shell.exec` and a `stream_id`.",
    params: z.object({ stream_id: z.string() }),
    result: z.object({ stopped: z.boolean() }),
  }),
} as const;
