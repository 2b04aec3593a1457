import {
  argument,
  command,
  commandGroup,
  flagOff,
  JSON_FLAG,
  option,
  positive,
  several,
} from "../command.ts";

const COLLECTION = option("<name>", "the collection; `documents` without it", { otherwise: "documents" });
const WHICH = argument("<what...>", "ids, paths, addresses, or names of collections");

/** `agent kb`: the documents that sessions search. */
export const KB_COMMAND = commandGroup(
  "kb",
  "the documents that sessions search: Markdown, text, HTML, PDF, DOCX",
  [
    command("list", "list collections, documents, and what they are read from", {
      takes: { collection: option("<name>", "only this collection"), json: JSON_FLAG },
      load: async () => (await import("./list.ts")).showDocuments,
    }),
    command(
      "add",
      "read files, folders or addresses; folders and addresses can be read again on a schedule",
      {
        takes: {
          what: argument("<what...>", "files, folders, or addresses with https://"),
          collection: COLLECTION,
          every: option("<schedule>", 'read again so often: 1h, daily, "weekdays at 7am", or never'),
          json: JSON_FLAG,
        },
        load: async () => (await import("./add.ts")).addDocuments,
      },
    ),
    command("show", "show what was read of a document: its headings, or its text", {
      takes: {
        document: argument("<document>", "its id, name or path"),
        text: flagOff("print its text"),
        json: JSON_FLAG,
      },
      load: async () => (await import("./show.ts")).showDocument,
    }),
    command("search", "search as a session does", {
      takes: {
        words: argument("<words...>"),
        collection: option("<name>", "only this collection; may be given several times", { read: several }),
        persona: option("<name>", "as a session of this persona"),
        limit: option("<count>", "at most so many places", { short: "n", read: positive, otherwise: 5 }),
        json: JSON_FLAG,
      },
      load: async () => (await import("./search.ts")).searchDocuments,
    }),
    command("again", "read documents, sources or collections again, also what has not changed", {
      takes: { what: WHICH, json: JSON_FLAG },
      load: async () => (await import("./add.ts")).readAgain,
    }),
    command("remove", "remove documents, sources or collections; no search finds them from then on", {
      aliases: ["rm"],
      takes: { what: WHICH },
      load: async () => (await import("./remove.ts")).removeDocuments,
    }),
  ],
);
