import type { SkillLibrary } from "../../providers/knowledge/index.ts";
import type { SkillPort } from "../../rpc/index.ts";

/** The skills of the home and of a workspace, as the gateway shows them. */
export function skillPort(skills: SkillLibrary): SkillPort {
  return {
    list(cwd) {
      const on = skills.recent(cwd).skills.filter((skill) => skills.isEnabled(skill));
      const byCategory = Map.groupBy(on, ({ category }) => category);
      return Object.fromEntries(
        [...byCategory].map(([category, list]) => [category, list.map(({ name }) => name)]),
      );
    },
    warning: (cwd) => skills.recent(cwd).warnings.join("\n"),
  };
}
