import type { Skill } from "./skill.ts";

/** Characters of the index. */
const BUDGET = 8000;
/** How much of each description is tried, the most first. */
const LENGTHS = [300, 140, 70, 0] as const;

const BEGINNING = `# Skills

Instructions for kinds of work. When one of them fits what you are asked to do, read it with skill_view before you begin, and do as it says.

<skills>`;

/** What the model is told of skills in advance; empty without any. The same skills give the same text. */
export function skillIndex(skills: readonly Skill[]): string {
  if (skills.length === 0) return "";
  for (const length of LENGTHS) {
    const lines = skills.map((skill) => line(skill, length));
    if (sizeOf(lines) <= BUDGET) return framed(lines);
  }
  return framed(whatFits(skills.map((skill) => line(skill, 0))));
}

function line({ name, category, description }: Skill, length: number): string {
  const named = category === "general" ? name : `${name} (${category})`;
  if (length === 0 || description === "") return `- ${named}`;
  const words =
    description.length <= length ? description : `${description.slice(0, length - 1).toWellFormed()}…`;
  return `- ${named}: ${words}`;
}

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, each) => sum + each.length + 1, 0);

const framed = (lines: readonly string[]): string => [BEGINNING, ...lines, "</skills>"].join("\n");

function whatFits(lines: readonly string[]): readonly string[] {
  let size = 0;
  const fitting = lines.filter((each) => (size += each.length + 1) <= BUDGET - 80);
  return [...fitting, `(${lines.length - fitting.length} more: skill_list shows all)`];
}
