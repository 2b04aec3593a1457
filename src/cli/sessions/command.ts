import {
  argument,
  command,
  commandGroup,
  flagOff,
  JSON_FLAG,
  notEmpty,
  number,
  option,
  positive,
} from "../command.ts";

/** `agent sessions`. */
export const SESSIONS_COMMAND = commandGroup(
  "sessions",
  "list, search, show, export, import and delete sessions",
  [
    command("list", "list sessions, the newest activity first", {
      takes: {
        json: JSON_FLAG,
        limit: option("<count>", "at most so many", { short: "n", read: positive, otherwise: 50 }),
        offset: option("<count>", "leave out the first", { read: number, otherwise: 0 }),
        search: option("<text>", "only those with this text in title or first prompt"),
        source: option("<name>", "only those of one surface"),
        all: flagOff("hidden, child and empty sessions too", "a"),
      },
      load: async () => (await import("./sessions.ts")).printSessions,
    }),
    command("search", "find sessions by what was said in them", {
      takes: {
        words: argument("<words...>", "all of them; what is quoted stands so, and wor* may go on"),
        json: JSON_FLAG,
        limit: option("<count>", "at most so many sessions", { short: "n", read: positive, otherwise: 20 }),
        cursor: option("<cursor>", "go on behind a page", { read: notEmpty }),
        source: option("<name>", "only those of one surface"),
        children: flagOff("the sessions of subagents too"),
      },
      load: async () => (await import("./search.ts")).searchCommand,
    }),
    command("show", "print a conversation", {
      takes: { id: argument("<id>", "an id, its beginning or end, or a title"), json: JSON_FLAG },
      load: async () => (await import("./sessions.ts")).showSession,
    }),
    command("timeline", "print where the time of a session's turns went", {
      takes: {
        id: argument("<id>", "an id, its beginning or end, or a title"),
        limit: option("<count>", "at most so many turns, the newest", {
          short: "n",
          read: positive,
          otherwise: 10,
        }),
        before: option("<seq>", "only turns that began before this cursor", { read: number }),
        json: JSON_FLAG,
      },
      load: async () => (await import("./timeline.ts")).printTimeline,
    }),
    command("export", "print every event of a session as a line of JSON", {
      takes: {
        id: argument("<id>", "an id, its beginning or end, or a title"),
        after: option("<seq>", "only what comes after this cursor", { read: number, otherwise: 0 }),
      },
      load: async () => (await import("./sessions.ts")).exportSession,
    }),
    command("import", "open a new session with the history of a file", {
      takes: {
        file: argument(
          "[file]",
          "what `agent sessions export` or `/export x.json` wrote, or a session of Claude Code or Codex; `-` for stdin",
        ),
        from: option("<program>", "whose session it is; known by itself as a rule", {
          choices: ["claude-code", "codex"],
        }),
        last: flagOff("with --from: the newest session of that program in this folder"),
        cwd: option("<folder>", "the folder to work in", { read: notEmpty }),
        title: option("<text>", "what it is called", { read: notEmpty }),
        json: JSON_FLAG,
      },
      help: "All of the file is kept, or nothing. Questions, rules, queued prompts and images are not taken over.",
      load: async () => (await import("./import/import-session.ts")).importSession,
    }),
    command("rewind", "list the turns of a session, or go back to before one", {
      takes: {
        id: argument("<id>", "an id, its beginning or end, or a title"),
        turn: argument("[turn]", "its number; without it, all are listed"),
        scope: option("<what>", "conversation, files or both", { otherwise: "both" }),
        force: flagOff("overwrite what somebody else changed meanwhile", "f"),
        diff: flagOff("print what the turn changed; nothing goes back"),
        preview: flagOff("tell what would happen, and do nothing"),
        json: JSON_FLAG,
      },
      load: async () => (await import("./rewind.ts")).rewindCommand,
    }),
    command("delete", "delete sessions for good", {
      takes: { ids: argument("<id...>", "ids, their beginnings or ends, or titles that only one has") },
      load: async () => (await import("./sessions.ts")).deleteSessions,
    }),
  ],
);
