import { HostError } from "../../shared/errors/host-error.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { SkillPort } from "../ports.ts";
import type { SKILL_METHODS } from "../protocol/skills.ts";
import type { HandlersOf } from "./handler.ts";

export const SKILL_HANDLERS: HandlersOf<typeof SKILL_METHODS> = {
  async "skills.manage"({ action, query, cwd: given }, { gateway }) {
    const port = portOf(gateway);
    const cwd = given ?? gateway.newSessionCwd();
    switch (action) {
      case "list": {
        const { skills } = await port.load(cwd);
        const byCategory = [...Map.groupBy(skills, ({ category }) => category)];
        return {
          skills: Object.fromEntries(byCategory.map(([key, list]) => [key, list.map(({ name }) => name)])),
        };
      }
      case "search": {
        const { skills } = await port.load(cwd);
        const has = (text: string): boolean => text.toLowerCase().includes(query.toLowerCase());
        return { results: skills.filter(({ name, description }) => has(`${name} ${description}`)) };
      }
      case "inspect":
        return { info: await port.inspect(query, cwd) };
      case "enable":
      case "disable": {
        const name = await port.turn(query, { cwd, on: action === "enable" });
        gateway.showInfo();
        return { name, enabled: action === "enable" };
      }
    }
  },

  async "skills.reload"({ cwd }, { gateway }) {
    const { skills, warnings } = await portOf(gateway).load(cwd ?? gateway.newSessionCwd());
    gateway.showInfo();
    const count = skills.length;
    const output = [`${count} skill${count === 1 ? "" : "s"}.`, ...warnings].join("\n");
    return { output, result: { count, warnings: [...warnings] } };
  },
};

/** @throws HostError `not_found` in a program that brings no skills */
function portOf({ ports }: GatewayContext): SkillPort {
  if (ports.skills !== undefined) return ports.skills;
  throw new HostError("not_found", "This program has no skills.");
}
