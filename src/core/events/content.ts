/** A reference to bytes in the store: SHA-256 in hex, size in bytes. */
export interface BlobRef {
  readonly hash: string;
  readonly size: number;
}

/** A text of a person, a model or a tool. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A picture, kept as a blob. */
export interface ImagePart {
  readonly type: "image";
  readonly blob: BlobRef;
  readonly mediaType: string;
  readonly name?: string;
  /** The detail with which the model should look, in the words of its API. */
  readonly detail?: string;
}

/** A file or other resource that a client embedded in its prompt. */
export interface ResourcePart {
  readonly type: "resource";
  readonly uri: string;
  readonly mediaType?: string;
  readonly text: string;
  /** It goes beside the person's words, which leave it out: a file that they name, or the output of a command. */
  readonly aside?: "file" | "output";
  /** It may hold something secret. */
  readonly sensitive?: true;
}

/** A resource that a client only named. */
export interface LinkPart {
  readonly type: "link";
  readonly uri: string;
  readonly name: string;
  readonly mediaType?: string;
}

/** A part of a prompt. */
export type UserPart = TextPart | ImagePart | ResourcePart | LinkPart;

/** A change of one file, whole texts on both sides; `oldText` is `null` for a new file. */
export interface DiffContent {
  readonly type: "diff";
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
}

/** A command's terminal: what it printed is in `text` parts, this says how it ended. */
export interface TerminalContent {
  readonly type: "terminal";
  readonly terminalId: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A part of a tool's result, for the model (text, image) and for people (diff, terminal too). */
export type ToolContent = TextPart | ImagePart | DiffContent | TerminalContent;

/** A file that a call hands to the people who are answered, kept as a blob: the surface of the prompt sends it. */
export interface HandedFile {
  readonly blob: BlobRef;
  readonly name: string;
  readonly mediaType: string;
  /** Words beside it, in Markdown. */
  readonly caption?: string;
}

/** A place in the workspace that a tool call is about; `line` counts from 1. */
export interface Location {
  readonly path: string;
  readonly line?: number;
}

/** Text as a part of content. */
export const textPart = (text: string): TextPart => ({ type: "text", text });

/** Joins the text parts of content, each on lines of its own. */
export const contentText = (
  content: readonly (TextPart | { readonly type: Exclude<(ToolContent | UserPart)["type"], "text"> })[],
): string => content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** Joins the text of a reply, or its reasoning. */
export const segmentText = <Kind extends string>(
  segments: readonly { readonly kind: Kind; readonly text: string }[],
  wanted: Kind,
): string => segments.map(({ kind, text }) => (kind === wanted ? text : "")).join("");

/** The words of a prompt, without images and what goes beside them; resources and links by their name. */
export function promptText(parts: readonly UserPart[]): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case "text":
          return part.text;
        case "image":
          return "";
        case "resource":
          return part.aside === undefined ? `[${part.uri}]` : "";
        case "link":
          return `[${part.name}](${part.uri})`;
      }
    })
    .filter((text) => text !== "")
    .join("\n");
}
