import type { FrontMatter } from "./front-matter.ts";

/** Instructions for a kind of work, in a folder of their own. */
export interface Skill extends Pick<FrontMatter, "hidden" | "commandless" | "requires"> {
  /** Letters, digits, `-`, `_` and `.`; unique in any case of letters. */
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The folders between the root and its own, joined by slashes; `general` when there are none. */
  readonly category: string;
  /** Whose it is: the owner's, or that of the workspace, which may come from anybody. */
  readonly source: "home" | "workspace";
  /** Absolute. */
  readonly folder: string;
  /** Its `SKILL.md`; absolute. */
  readonly file: string;
  /** Surfaces that it is for; all when there are none. */
  readonly surfaces: readonly string[];
}

/** The skills that were found, and warnings about files that are wrong. */
export interface SkillListing {
  readonly skills: readonly Skill[];
  readonly warnings: readonly string[];
}

export const SKILL_FILE = "SKILL.md";
export const SKILL_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Bytes of a skill's own text, and of a file that it brings along. */
export const LARGEST_FILE = 100_000;
