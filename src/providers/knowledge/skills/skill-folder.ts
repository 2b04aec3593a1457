import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { messageOf } from "../../../shared/errors/host-error.ts";
import { sanitizeForPrompt } from "../../../shared/text/text-threats.ts";
import { stampOf, type Stamp } from "../stamp.ts";
import { type FrontMatter, type ParseYaml, readSkillText, type SkillText } from "./front-matter.ts";
import { LARGEST_FILE, type Skill, SKILL_FILE, SKILL_NAME, type SkillListing } from "./skill.ts";

const DEEPEST = 5;
const MOST_SKILLS = 500;
const MOST_FOLDERS = 2000;
const LONGEST_DESCRIPTION = 1024;
/** Names of systems, as skills and as Node call them. */
const SYSTEMS: Readonly<Record<string, string>> = {
  linux: "linux",
  macos: "darwin",
  darwin: "darwin",
  windows: "win32",
  win32: "win32",
};

/** Options of a folder of skills. */
export interface SkillFolderOptions {
  /** The workspace that it is of, in which it must lie, links resolved; the owner's own may be anywhere. */
  readonly within?: string;
  /** As Node names it. */
  readonly platform: string;
  readonly parse: ParseYaml;
}

interface Known {
  readonly stamp: Stamp;
  /** `undefined` for a file that holds no skill for this machine. */
  readonly skill: Skill | undefined;
  readonly warnings: readonly string[];
}

/**
 * The skills of a folder and the folders in it. A look costs a stat for each of them; only what has changed is read
 * again. Links are followed in the owner's own folder only: in a workspace they may lead anywhere.
 */
export class SkillFolder {
  readonly #root: string;
  readonly #options: SkillFolderOptions;
  /** Stamps of everything that the listing was made of. */
  #seen: ReadonlyMap<string, Stamp> = new Map();
  #files: ReadonlyMap<string, Known> = new Map();
  #listing: SkillListing | undefined;

  constructor(root: string, options: SkillFolderOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** What is there now; the same object as long as nothing changed. */
  list(): SkillListing {
    if (this.#listing !== undefined && this.#isCurrent()) return this.#listing;
    this.#listing = this.#scan();
    return this.#listing;
  }

  #isCurrent(): boolean {
    for (const [path, stamp] of this.#seen) if (stampOf(path) !== stamp) return false;
    return true;
  }

  #scan(): SkillListing {
    if (!this.#isInside()) {
      this.#seen = new Map([[this.#root, stampOf(this.#root)]]);
      return { skills: [], warnings: [`${this.#root}: it leads out of the workspace, so it is not used`] };
    }
    const walk = new Walk(this.#root, this.#options.within === undefined);
    const files = new Map<string, Known>();
    for (const folder of walk.skillFolders()) {
      const file = join(folder, SKILL_FILE);
      const stamp = stampOf(file);
      walk.seen.set(file, stamp);
      const known = this.#files.get(file);
      files.set(file, known?.stamp === stamp ? known : { stamp, ...this.#read(folder, file) });
    }
    this.#seen = walk.seen;
    this.#files = files;
    const found = [...files.values()];
    return {
      skills: found.flatMap(({ skill }) => (skill === undefined ? [] : [skill])),
      warnings: [...walk.warnings, ...found.flatMap(({ warnings }) => warnings)],
    };
  }

  #isInside(): boolean {
    const { within } = this.#options;
    if (within === undefined) return true;
    const root = realPath(this.#root);
    return root === undefined || root.startsWith(`${realPath(within) ?? within}${sep}`);
  }

  #read(folder: string, file: string): Omit<Known, "stamp"> {
    const { parse, platform } = this.#options;
    let text: SkillText;
    try {
      text = readSkillText(readSkillFile(file), parse);
    } catch (thrown) {
      const why = messageOf(thrown);
      return { skill: undefined, warnings: [`${file}: it cannot be read: ${why}`] };
    }
    const { head, body } = text;
    const systems = head.platforms.flatMap((name) => SYSTEMS[name] ?? []);
    if (systems.length > 0 && !systems.includes(platform)) return { skill: undefined, warnings: [] };
    const problems = text.problem === undefined ? [] : [text.problem];
    const name = nameOf(head, folder, problems);
    const skill = name === undefined ? undefined : this.#skill(name, folder, { head, body, problems });
    return { skill, warnings: problems.map((problem) => `${file}: ${problem}`) };
  }

  #skill(
    name: string,
    folder: string,
    text: { readonly head: FrontMatter; readonly body: string; readonly problems: string[] },
  ): Skill {
    const { head, body, problems } = text;
    const { platforms, hidden, commandless, requires } = head;
    const source = this.#options.within === undefined ? "home" : "workspace";
    const own = oneLine(head.description ?? "");
    if (own === "" && problems.length === 0) problems.push("it has no description");
    if (own.length > LONGEST_DESCRIPTION)
      problems.push(`its description has more than ${LONGEST_DESCRIPTION} characters; the rest is not shown`);
    const description = (own === "" ? firstLine(body) : own).slice(0, LONGEST_DESCRIPTION);
    return {
      name,
      description: sanitizeForPrompt(description),
      category: categoryOf(this.#root, folder),
      source,
      folder,
      file: join(folder, SKILL_FILE),
      surfaces: platforms.filter((each) => SYSTEMS[each] === undefined),
      hidden,
      commandless,
      requires,
    };
  }
}

/** @throws Error with the reason, in words */
export function readSkillFile(file: string): string {
  const { size } = statSync(file);
  if (size > LARGEST_FILE) throw new Error(`it has ${size} bytes; ${LARGEST_FILE} are the most`);
  return readFileSync(file, "utf8").toWellFormed();
}

/** Its own name, else its folder's; a name that nothing can be called by is a problem. */
function nameOf(head: FrontMatter, folder: string, problems: string[]): string | undefined {
  const own = head.name ?? "";
  const fallback = basename(folder);
  if (SKILL_NAME.test(own)) return own;
  if (own !== "") problems.push(`its name ${JSON.stringify(own)} is not made of letters, digits, - and _`);
  if (SKILL_NAME.test(fallback)) return fallback;
  problems.push("it has no name that can be typed; give it one in its front matter");
  return undefined;
}

function categoryOf(root: string, folder: string): string {
  const between = relative(root, folder).split(sep).slice(0, -1).join("/");
  return between === "" ? "general" : sanitizeForPrompt(oneLine(between));
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const firstLine = (body: string): string =>
  oneLine(body.split("\n").find((line) => /[\p{L}\p{N}]/u.test(line)) ?? "").replace(/^#+\s*/, "");

/** `undefined` for what is not there, or leads nowhere. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** One walk through a root, and everything whose change would change what it finds. */
class Walk {
  readonly seen = new Map<string, Stamp>();
  readonly warnings: string[] = [];
  readonly #root: string;
  readonly #followLinks: boolean;
  readonly #visited = new Set<string>();

  constructor(root: string, followLinks: boolean) {
    this.#root = root;
    this.#followLinks = followLinks;
  }

  /** The folders that hold a skill, in the order of their names. */
  skillFolders(): readonly string[] {
    const found: string[] = [];
    this.#visit(this.#root, 0, found);
    return found;
  }

  #visit(folder: string, depth: number, found: string[]): void {
    this.seen.set(folder, stampOf(folder));
    const entries = this.#entries(folder);
    if (entries === undefined) return;
    if (entries.some((entry) => entry.name === SKILL_FILE && this.#is("file", folder, entry))) {
      // The file says enough of what becomes of the folder.
      this.seen.delete(folder);
      if (found.length < MOST_SKILLS) found.push(folder);
      else this.#warnOnce(`${this.#root}: only the first ${MOST_SKILLS} skills count`);
      return;
    }
    if (depth >= DEEPEST) return;
    for (const entry of entries) {
      const isHidden = entry.name.startsWith(".") || entry.name === "node_modules";
      if (!isHidden && this.#is("folder", folder, entry))
        this.#visit(join(folder, entry.name), depth + 1, found);
    }
  }

  #entries(folder: string): readonly Dirent[] | undefined {
    try {
      const real = realpathSync(folder);
      if (this.#visited.has(real) || this.#visited.size >= MOST_FOLDERS) return undefined;
      this.#visited.add(real);
      const entries = readdirSync(folder, { withFileTypes: true });
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    } catch (thrown) {
      const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
      if (code !== "ENOENT" && code !== "ENOTDIR")
        this.warnings.push(`${folder}: it cannot be read (${String(code)})`);
      return undefined;
    }
  }

  #is(kind: "file" | "folder", folder: string, entry: Dirent): boolean {
    if (!entry.isSymbolicLink()) return kind === "file" ? entry.isFile() : entry.isDirectory();
    const path = join(folder, entry.name);
    if (!this.#followLinks) {
      if (kind === "folder" || entry.name === SKILL_FILE)
        this.#warnOnce(`${path}: links are not followed in a workspace`);
      return false;
    }
    try {
      const target = statSync(path);
      return kind === "file" ? target.isFile() : target.isDirectory();
    } catch {
      return false;
    }
  }

  #warnOnce(warning: string): void {
    if (!this.warnings.includes(warning)) this.warnings.push(warning);
  }
}
