import type { Skin } from "../gateway.ts";
import type { TextEditor } from "../input/text-editor.ts";

/** A choice of a list. */
export interface ListItem {
  readonly id: string;
  readonly label: string;
  /** Beside it, in dim. */
  readonly detail: string;
  /** What typing is compared with; the label by default. */
  readonly search?: string;
  /** It is the one that is in use. */
  readonly current?: boolean;
  /** The screen looks so while it is marked. */
  readonly skin?: Skin | undefined;
}

/** A list that one goes through and types into to narrow it. */
export interface ListOverlay {
  readonly kind: "list";
  /** What the list is of: its keys depend on it. */
  readonly list: "sessions" | "models" | "toolsets" | "skills" | "agents" | "queue" | "rewind" | "pick";
  readonly title: string;
  readonly keys: string;
  readonly items: readonly ListItem[];
  readonly filter: string;
  /** What a search for the filter found beyond the items' own words; it follows them. */
  readonly found?: { readonly filter: string; readonly items: readonly ListItem[] };
  readonly chosen: number;
  readonly loading: boolean;
  /** Something that is done only when it is asked for twice. */
  readonly confirm?: { readonly id: string; readonly question: string };
  /** The chosen one is being given another name. */
  readonly renaming?: { readonly id: string; readonly text: string };
}

/** Text to read, page by page. */
export interface PagerOverlay {
  readonly kind: "pager";
  readonly title: string;
  readonly text: string;
  readonly format: "plain" | "markdown" | "diff";
  /** The first line that is shown; Infinity for the end. */
  readonly top: number;
  /** There is more above, before this cursor of the conversation. */
  readonly earlier?: number | undefined;
}

/** A line to be written. */
export interface FieldOverlay {
  readonly kind: "field";
  readonly title: string;
  /** What is to be written, in words. */
  readonly label: string;
  /** Its letters are not shown. */
  readonly hidden: boolean;
  readonly typed: TextEditor;
}

/** The keys that may follow Ctrl+X. */
interface ChordsOverlay {
  readonly kind: "chords";
}

/** The element over the composer that takes the keys. */
export type Overlay = ListOverlay | PagerOverlay | FieldOverlay | ChordsOverlay;
