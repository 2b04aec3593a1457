import type { ClientFiles, ClientTerminals } from "./client-io.ts";
import type { Toolset } from "./tool.ts";

/** The parts that a client brings to a session while it is attached: tools use them when they run in its process. */
export interface Attachment {
  readonly files?: ClientFiles;
  readonly terminals?: ClientTerminals;
  /** Characters of a line of the client's terminal. */
  readonly columns?: number;
  /** Tools for this session alone, such as those of servers that the client named; they may come and go. */
  readonly toolsets?: () => readonly Toolset[];
}

/** The attachments of one session, the newest last. */
export class Attachments {
  readonly #all = new Set<Attachment>();
  #inherited: Attachments | undefined;

  /** Adds one, until the returned function is called. */
  add(attachment: Attachment): () => void {
    // A wrapper, so that what is added twice is also taken away twice.
    const entry = { ...attachment };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  /** Has the files and tools of another session's too, until the returned function is called. */
  inherit(from: Attachments): () => void {
    this.#inherited = from;
    return () => (this.#inherited = undefined);
  }

  get files(): ClientFiles | undefined {
    return [...this.#all].findLast(({ files }) => files !== undefined)?.files ?? this.#inherited?.files;
  }

  get terminals(): ClientTerminals | undefined {
    return [...this.#all].findLast(({ terminals }) => terminals !== undefined)?.terminals;
  }

  get columns(): number | undefined {
    return (
      [...this.#all].findLast(({ columns }) => columns !== undefined)?.columns ?? this.#inherited?.columns
    );
  }

  /** A list for each attachment that has tools; the same lists as long as nothing changed. */
  toolsets(): readonly (readonly Toolset[])[] {
    const own = [...this.#all].flatMap(({ toolsets }) => (toolsets === undefined ? [] : [toolsets()]));
    return this.#inherited === undefined ? own : [...own, ...this.#inherited.toolsets()];
  }
}
