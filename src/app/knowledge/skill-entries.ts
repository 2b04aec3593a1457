import { HostError } from "../../shared/errors/host-error.ts";
import type { SkillEntry } from "../../http/index.ts";
import { type SkillLibrary, withFiles } from "../../providers/knowledge/index.ts";

/** A skill as lists of programs show it; `enabled` is false for one that the owner switched off. */
export interface ListedSkill extends SkillEntry {
  readonly enabled: boolean;
  /** `home` or `workspace`. */
  readonly source: string;
}

/** All skills, those that are switched off too, in the order of their names. */
export async function skillEntries(library: SkillLibrary, cwd: string): Promise<readonly ListedSkill[]> {
  await library.ready(cwd);
  return library.list(cwd).skills.map((skill) => {
    const { name, description, category, source } = skill;
    return { name, description, category, source, enabled: library.isEnabled(skill) };
  });
}

/** Gives what a skill says, for prompts that name it; `undefined` for one that is not there, or is switched off. */
export function skillLoader(
  library: SkillLibrary,
): (name: string, cwd: string) => Promise<string | undefined> {
  return async (name, cwd) => {
    await library.ready(cwd);
    try {
      return withFiles(library.read(name, cwd));
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "not_found") return undefined;
      throw thrown;
    }
  };
}
