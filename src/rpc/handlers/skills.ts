import { HostError } from "../../shared/errors/host-error.ts";
import type { Desk } from "../gateway/desk.ts";
import type { SkillPort } from "../ports.ts";
import type { Params, Result } from "../protocol/methods.ts";
import type { SKILL_METHODS } from "../protocol/skills.ts";
import type { HandlersOf } from "./handler.ts";

export const SKILL_HANDLERS: HandlersOf<typeof SKILL_METHODS> = {
  "skills.manage": manageSkills,

  async "skills.reload"({ cwd }, { desk }) {
    const { skills, warnings } = await portOf(desk).load(cwd ?? desk.newSessionCwd());
    desk.showInfo();
    const count = skills.length;
    const output = [`${count} skill${count === 1 ? "" : "s"}.`, ...warnings].join("\n");
    return { output, result: { count, warnings: [...warnings] } };
  },
};

async function manageSkills(
  { action, query, cwd: given }: Params<"skills.manage">,
  { desk }: { readonly desk: Desk },
): Promise<Result<"skills.manage">> {
  const port = portOf(desk);
  const cwd = given ?? desk.newSessionCwd();
  switch (action) {
    case "list": {
      const { skills } = await port.load(cwd);
      const byCategory = Map.groupBy(skills, ({ category }) => category);
      const names = [...byCategory].map(
        ([category, list]) => [category, list.map(({ name }) => name)] as const,
      );
      return { skills: Object.fromEntries(names) };
    }
    case "search": {
      const { skills } = await port.load(cwd);
      const words = query.toLowerCase();
      return {
        results: skills.filter(({ name, description }) =>
          `${name} ${description}`.toLowerCase().includes(words),
        ),
      };
    }
    case "inspect":
      return { info: await port.inspect(query, cwd) };
    case "enable":
    case "disable": {
      const name = await port.turn(query, { cwd, on: action === "enable" });
      desk.showInfo();
      return { name, enabled: action === "enable" };
    }
  }
}

/** @throws HostError `not_found` in a program that brings no skills */
function portOf({ ports }: Desk): SkillPort {
  if (ports.skills !== undefined) return ports.skills;
  throw new HostError("not_found", "This program has no skills.");
}
