import type { SkillContent } from "./skill-library.ts";

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
