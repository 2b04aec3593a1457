import { z } from "zod";
import {
  type AnyTool,
  type ToolContext,
  type ToolSession,
  type Toolset,
  defineTool,
  textPart,
} from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Skill } from "./skill.ts";
import { type SkillLibrary, withFiles } from "./skill-library.ts";

/** Sees to it that the variables are set which a skill requires; gives what is missing, in words. */
export type ProvideSkillKeys = (skill: Skill, context: ToolContext) => Promise<readonly string[]>;

/** The tools that list skills and read them. */
export function skillToolset(library: SkillLibrary, provideKeys?: ProvideSkillKeys): Toolset {
  return {
    name: "skills",
    label: "Skills",
    description: "List and read instructions for kinds of work",
    tools: [skillListTool(library), skillViewTool(library, provideKeys)],
    configured: true,
  };
}

function skillListTool(library: SkillLibrary): AnyTool {
  return defineTool({
    name: "skill_list",
    toolset: "skills",
    description: "Lists the skills: instructions for kinds of work, by category. Read one with skill_view.",
    kind: "read",
    effect: "pure",
    input: z.object({ category: z.string().optional().describe("Only those of this category") }),
    label: ({ category }) => (category === undefined ? "List the skills" : `List the skills of ${category}`),
    permit: () => Promise.resolve({ verdict: "allow" }),
    async run({ category }, { session }) {
      await library.ready(session.cwd);
      const told = toldSkills(library, session);
      const wanted = told.filter((skill) => category === undefined || skill.category === category);
      if (wanted.length > 0) {
        const content = [textPart(wanted.map(listLine).join("\n"))];
        return { outcome: "ok", content, summary: count(wanted.length) };
      }
      const categories = [...new Set(told.map((skill) => skill.category))].toSorted();
      const text =
        told.length === 0
          ? "There are no skills."
          : `There is no skill of category ${JSON.stringify(category)}. Categories: ${categories.join(", ")}.`;
      return { outcome: "ok", content: [textPart(text)], summary: count(0) };
    },
  });
}

function skillViewTool(library: SkillLibrary, provideKeys: ProvideSkillKeys | undefined): AnyTool {
  return defineTool({
    name: "skill_view",
    toolset: "skills",
    description: "Reads a skill: the instructions for a kind of work, or a file that they name.",
    kind: "read",
    effect: "pure",
    input: z.object({
      name: z.string().min(1),
      file: z.string().min(1).optional().describe("A file of the skill, relative to its folder"),
    }),
    label: ({ name, file }) => (file === undefined ? `Skill ${name}` : `Skill ${name}: ${file}`).slice(0, 80),
    permit: () => Promise.resolve({ verdict: "allow" }),
    async run({ name, file }, context) {
      const { cwd, persona } = context.session;
      await library.ready(cwd);
      if (!isOfPersona(name, persona))
        throw new HostError(
          "invalid_params",
          `The persona ${persona?.name ?? ""} does not have the skill ${name}. skill_list lists those that there are.`,
        );
      if (file !== undefined) {
        const text = await library.readFile(name, file, cwd);
        return { outcome: "ok", content: [textPart(text)], summary: file };
      }
      const content = library.read(name, cwd);
      // Whoever reads it is about to use it.
      const missing = (await provideKeys?.(content.skill, context)) ?? [];
      const lacks = missing.map((problem) => `[This skill lacks a variable: ${problem}.]`);
      const text = [withFiles(content), ...lacks].join("\n\n");
      return { outcome: "ok", content: [textPart(text)], summary: name };
    },
  });
}

const isOfPersona = (skill: string, persona: ToolSession["persona"]): boolean =>
  persona?.skills?.includes(skill) ?? true;

/** The skills that the model of a session is told of. */
export function toldSkills(
  library: SkillLibrary,
  { cwd, platform, persona }: Pick<ToolSession, "cwd" | "platform" | "persona">,
): readonly Skill[] {
  return library
    .list(cwd)
    .skills.filter(
      (skill) =>
        !skill.hidden &&
        isOfPersona(skill.name, persona) &&
        library.isEnabled(skill) &&
        (skill.surfaces.length === 0 || skill.surfaces.includes(platform)),
    );
}

const listLine = ({ name, category, description }: Skill): string => `${name} (${category}): ${description}`;

const count = (skills: number): string => `${skills} skill${skills === 1 ? "" : "s"}`;
