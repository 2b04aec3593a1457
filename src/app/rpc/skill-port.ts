import type { SkillLibrary } from "../../providers/knowledge/index.ts";
import type { SkillPort } from "../../rpc/index.ts";
import { skillEntries } from "../knowledge/skill-entries.ts";

/** The skills of the home and of a workspace, as the gateway shows them. */
export function skillPort(skills: SkillLibrary): SkillPort {
  return {
    list(cwd) {
      const on = skills.recent(cwd).skills.filter((skill) => skills.isEnabled(skill));
      const byCategory = Map.groupBy(on, ({ category }) => category);
      const names = [...byCategory].map(
        ([category, list]) => [category, list.map(({ name }) => name)] as const,
      );
      return Object.fromEntries(names);
    },
    warning: (cwd) => skills.recent(cwd).warnings.join("\n"),
    async load(cwd) {
      const entries = await skillEntries(skills, cwd);
      return { skills: entries, warnings: skills.list(cwd).warnings };
    },
    async inspect(name, cwd) {
      await skills.ready(cwd);
      const { skill, body, files } = skills.read(name, cwd);
      const { description, category, source, folder } = skill;
      const text = { folder, body, files: [...files] };
      return { name: skill.name, description, category, source, enabled: true, ...text };
    },
    turn: (name, to) => skills.turn(name, to),
  };
}
