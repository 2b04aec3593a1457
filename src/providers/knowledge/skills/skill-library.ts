import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Clock } from "../../../shared/async/clock.ts";
import { messageOf, HostError } from "../../../shared/errors/host-error.ts";
import { sanitizeForPrompt } from "../../../shared/text/text-threats.ts";
import { Lru } from "../lru.ts";
import type { ReadInside } from "../prompt/project-files.ts";
import { type ParseYaml, readSkillText } from "./front-matter.ts";
import { LARGEST_FILE, type Skill, SKILL_FILE, type SkillListing } from "./skill.ts";
import { readSkillFile, realPath, SkillFolder } from "./skill-folder.ts";

/** Where a workspace keeps skills: in its own folder, and in those that other agents read too. */
const WORKSPACE_FOLDERS = [".agent/skills", ".agents/skills", ".claude/skills"] as const;
const MOST_WORKSPACES = 32;
const MOST_FILES = 50;
const MOST_ALIASES = 20;
/** Whoever asks for each event gets what was there so long ago at most. */
const RECENT_MS = 1000;

/** Options of the skills. */
export interface SkillLibraryOptions {
  /** The owner's skills. Absolute; the first of two skills with one name counts. */
  readonly folders: () => readonly string[];
  readonly disabled: () => readonly string[];
  /** Keeps the names of those that are switched off, for good. */
  readonly disable: (names: readonly string[]) => Promise<void>;
  /** Says whether a workspace's folder may speak to the agent; each does by default. */
  readonly trusts?: (folder: string) => boolean;
  /** As Node names it. */
  readonly platform: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly readInside: ReadInside;
}

/** A skill as it is read: what it says, and what else is in its folder. */
export interface SkillContent {
  readonly skill: Skill;
  readonly body: string;
  /** Relative paths of its other files; the first ones. */
  readonly files: readonly string[];
}

/** A folder of skills; `within`: the workspace that it is of. */
interface Root {
  readonly root: string;
  readonly within?: string;
}

const NOTHING: SkillListing = { skills: [], warnings: [] };

interface Merged extends SkillListing {
  readonly parts: readonly SkillListing[];
  readonly disabled: readonly string[];
  checkedAt: number;
}

/** All skills: the owner's, then those of a workspace. */
export class SkillLibrary {
  readonly #options: SkillLibraryOptions;
  readonly #folders = new Lru<string, SkillFolder>(4 * MOST_WORKSPACES);
  readonly #merged = new Lru<string, Merged>(MOST_WORKSPACES);
  /** Absent until it is loaded: many homes have no skills and never need it. */
  #parse: ParseYaml | undefined;

  constructor(options: SkillLibraryOptions) {
    this.#options = options;
  }

  /** Whoever waits for this gets all that there is from `list` afterwards. Nothing is loaded when there are no skills. */
  async ready(cwd: string): Promise<void> {
    const hasSkills = (): boolean => this.#roots(cwd).some(({ root }) => existsSync(root));
    if (this.#parse === undefined && hasSkills()) await this.#load();
    // Read here, they need not be read when somebody waits for an answer.
    if (this.#parse !== undefined && this.#merged.get(cwd) === undefined) this.list(cwd);
  }

  /** The folders of skills of a workspace that are not read. Absolute. */
  leftOut(cwd: string): readonly string[] {
    const { trusts = () => true } = this.#options;
    return workspaceRoots(cwd).flatMap(({ root }) => (existsSync(root) && !trusts(root) ? [root] : []));
  }

  /** For a process that stays: sessions of any folder may come, and must not wait for what reading skills needs. */
  warm(): void {
    // Whoever waits for skills tries again, and learns why they cannot be read.
    this.#load().catch(() => undefined);
  }

  /** What there is now, in the order of names; the same object as long as nothing changed. Disabled ones too. */
  list(cwd: string): SkillListing {
    const { clock, disabled } = this.#options;
    const parse = this.#parse;
    if (parse === undefined) {
      // Whoever asks again finds it there.
      this.ready(cwd).catch(() => undefined);
      return NOTHING;
    }
    const parts = this.#roots(cwd).map((each) => this.#folder(each, parse).list());
    const off = disabled();
    const known = this.#merged.get(cwd);
    if (known !== undefined && isSame(known.parts, parts) && isSame(known.disabled, off)) {
      known.checkedAt = clock.monotonic();
      return known;
    }
    const merged = { ...merge(parts), parts, disabled: off, checkedAt: clock.monotonic() };
    this.#merged.set(cwd, merged);
    return merged;
  }

  /** The same, as it was a second ago at most: for whoever asks again and again. */
  recent(cwd: string): SkillListing {
    const known = this.#merged.get(cwd);
    const isRecent = known !== undefined && this.#options.clock.monotonic() - known.checkedAt < RECENT_MS;
    return isRecent ? known : this.list(cwd);
  }

  isEnabled({ name }: Pick<Skill, "name">): boolean {
    return !this.#options.disabled().some((each) => each.toLowerCase() === name.toLowerCase());
  }

  /** Switches a skill on or off for good; gives its name. @throws HostError `not_found`, `config_invalid` */
  async turn(name: string, { cwd, on }: { readonly cwd: string; readonly on: boolean }): Promise<string> {
    await this.ready(cwd);
    const skill = this.#named(name, cwd);
    if (skill === undefined) throw this.#unknown(name, cwd);
    const { disabled, disable } = this.#options;
    const others = disabled().filter((each) => each.toLowerCase() !== skill.name.toLowerCase());
    if (this.isEnabled(skill) !== on) await disable(on ? others : [...others, skill.name]);
    return skill.name;
  }

  /** The skill of a name, in any case of letters; `undefined` when there is none that is on. */
  find(name: string, cwd: string): Skill | undefined {
    const found = this.#named(name, cwd);
    return found !== undefined && this.isEnabled(found) ? found : undefined;
  }

  /** @throws HostError `not_found` with the names that there are, or why it cannot be read */
  read(name: string, cwd: string): SkillContent {
    const skill = this.find(name, cwd);
    if (skill === undefined) throw this.#unknown(name, cwd);
    try {
      const { body } = readSkillText(readSkillFile(skill.file), () => ({}));
      const text = skill.source === "workspace" ? sanitizeForPrompt(body) : body;
      return { skill, body: text.trim(), files: filesOf(skill.folder) };
    } catch (cause) {
      const why = messageOf(cause);
      throw new HostError("not_found", `The skill ${skill.name} cannot be read: ${why}`, { cause });
    }
  }

  /**
   * The text of a file that a skill brings along.
   *
   * @param path - relative to the skill's folder
   * @throws HostError `not_found` for what is not inside the folder, also by a link, or is no text
   */
  async readFile(name: string, path: string, cwd: string): Promise<string> {
    const { skill, files } = this.read(name, cwd);
    const text = await this.#options.readInside(join(skill.folder, path), skill.folder, LARGEST_FILE);
    if (text !== undefined) return skill.source === "workspace" ? sanitizeForPrompt(text) : text;
    const others = files.length === 0 ? "It has no other files." : `It has: ${files.join(", ")}.`;
    throw new HostError(
      "not_found",
      `The skill ${skill.name} has no text file ${JSON.stringify(path)} of at most ${LARGEST_FILE} bytes inside its folder. ${others}`,
    );
  }

  async #load(): Promise<void> {
    const { parse } = await import("yaml");
    this.#parse ??= (text): unknown => parse(text, { maxAliasCount: MOST_ALIASES, logLevel: "error" });
  }

  #named(name: string, cwd: string): Skill | undefined {
    const wanted = name.toLowerCase();
    return this.list(cwd).skills.find((each) => each.name.toLowerCase() === wanted);
  }

  #unknown(name: string, cwd: string): HostError {
    const listed = this.list(cwd).skills;
    const off = this.#named(name, cwd);
    if (off !== undefined)
      return new HostError("not_found", `The skill ${off.name} is switched off (skills.disabled).`);
    const names = listed.filter((each) => this.isEnabled(each)).map((each) => each.name);
    const there = names.length === 0 ? "There are none." : `There are: ${names.join(", ")}.`;
    return new HostError("not_found", `There is no skill ${JSON.stringify(name)}. ${there}`);
  }

  #roots(cwd: string): readonly Root[] {
    const own = this.#options.folders().map((root) => ({ root }));
    const { trusts = () => true } = this.#options;
    return [...own, ...workspaceRoots(cwd).filter(({ root }) => existsSync(root) && trusts(root))];
  }

  #folder({ root, within }: Root, parse: ParseYaml): SkillFolder {
    const known = this.#folders.get(root);
    if (known !== undefined) return known;
    const { platform } = this.#options;
    const where = within === undefined ? {} : { within };
    const folder = new SkillFolder(root, { platform, parse, ...where });
    this.#folders.set(root, folder);
    return folder;
  }
}

const workspaceRoots = (cwd: string): readonly Root[] =>
  cwd === "" ? [] : WORKSPACE_FOLDERS.map((path) => ({ root: join(cwd, path), within: cwd }));

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

/** The first of several with one name counts; a file that is reached in two ways is one. */
function merge(parts: readonly SkillListing[]): SkillListing {
  const byName = new Map<string, Skill>();
  const files = new Set<string>();
  const warnings = parts.flatMap((part) => part.warnings);
  for (const skill of parts.flatMap(({ skills }) => skills)) {
    const file = realPath(skill.file) ?? skill.file;
    if (files.has(file)) continue;
    files.add(file);
    const key = skill.name.toLowerCase();
    const first = byName.get(key);
    if (first === undefined) byName.set(key, skill);
    else warnings.push(`${skill.file}: there is a skill ${first.name} already, in ${first.file}; it counts`);
  }
  const skills = [...byName.values()].toSorted((a, b) =>
    a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1,
  );
  return { skills, warnings };
}

/**
 * Relative paths of what a skill brings along. Hidden files are left out, links are not followed, and names that would
 * say more than a name does are not shown.
 */
function filesOf(folder: string): readonly string[] {
  return filesBelow(folder)
    .map((path) => relative(folder, path))
    .filter((path) => sanitizeForPrompt(path) === path && !/\p{Cc}/u.test(path) && path !== SKILL_FILE)
    .toSorted()
    .slice(0, MOST_FILES);
}

/** Not by Node's own recursion, which now and then follows a link. */
function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    ({ name }) => !name.startsWith(".") && name !== "node_modules",
  );
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** What a model gets of a skill beside its words: where its files are. */
export function withFiles({ skill, body, files }: SkillContent): string {
  if (files.length === 0) return body;
  return `${body}\n\nIts folder is ${skill.folder}. It has more files, which skill_view reads: ${files.join(", ")}`;
}

/** A prompt that brings a skill along. */
export function skillPrompt(content: SkillContent, request: string): string {
  const { name } = content.skill;
  const wish = request === "" ? `Use the skill ${name}.` : `Use the skill ${name}: ${request}`;
  return `${wish}\n\n<skill name="${name}">\n${withFiles(content)}\n</skill>`;
}
