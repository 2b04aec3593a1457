import { join } from "node:path";
import type { Clock } from "../../shared/async/clock.ts";
import { Memory, type MemoryOptions } from "./memory/memory.ts";
import type { MemoryTarget, MemoryTexts } from "./memory/memory-texts.ts";
import { memoryToolset } from "./memory/memory-tool.ts";
import { type LeftOutFiles, ProjectFiles, type ProjectLook, type Trusts } from "./prompt/project-files.ts";
import { PromptMaker } from "./prompt/prompt-maker.ts";
import { soulReader } from "./prompt/soul.ts";
import { skillCommands } from "./skills/skill-commands.ts";
import { skillIndex } from "./skills/skill-index.ts";
import { SkillLibrary, type SkillLibraryOptions } from "./skills/skill-library.ts";
import { type ProvideSkillKeys, skillToolset, toldSkills } from "./skills/skill-tools.ts";
import type { Skill } from "./skills/skill.ts";

export type { MemoryFile } from "./memory/memory.ts";
export { MemoryFiles } from "./memory/memory-files.ts";
export { memoryDraft, MemoryRecords } from "./memory/memory-records.ts";
export type { MemoryTexts } from "./memory/memory-texts.ts";
export { type SkillLibrary, withFiles } from "./skills/skill-library.ts";

/** Options of the agent's knowledge. */
export interface KnowledgeOptions
  extends Pick<MemoryOptions, "hide">, Pick<SkillLibraryOptions, "platform" | "readInside"> {
  /** Absolute. */
  readonly home: string;
  readonly clock: Clock;
  /** The keeper of what is remembered. */
  readonly memory: MemoryTexts;
  /** Keeps the names of skills that are switched off. */
  readonly disableSkills: (names: readonly string[]) => Promise<void>;
  /** Sees to it that the variables are set which a skill requires. Without it nobody is asked. */
  readonly provideKeys?: ProvideSkillKeys;
  /** The variables that a skill requires and that commands do not see. */
  readonly lackingKeys?: (skill: Skill) => readonly string[];
  /** What the owner has set; it may change. */
  readonly settings: () => KnowledgeSettings;
  /** Says whether a folder's files may speak to the agent; each does by default. */
  readonly trusts?: Trusts;
}

/** Settings of the agent's knowledge. */
export interface KnowledgeSettings {
  /** Folders of skills beside the home's own. Absolute. */
  readonly skillFolders: readonly string[];
  readonly disabledSkills: readonly string[];
  /** Characters. */
  readonly memoryBudgets: Readonly<Record<MemoryTarget, number>>;
}

/** The agent's knowledge before a conversation: skills, memory, and the prompt that presents them. */
export type Knowledge = ReturnType<typeof openKnowledge>;

/** Opens the knowledge of a home; reads nothing yet. */
export function openKnowledge(options: KnowledgeOptions) {
  const { home, platform, clock, readInside, settings, hide } = options;
  const own = join(home, "skills");
  const skills = new SkillLibrary({
    folders: () => [own, ...settings().skillFolders],
    disabled: () => settings().disabledSkills,
    disable: options.disableSkills,
    platform,
    clock,
    readInside,
    ...(options.trusts === undefined ? {} : { trusts: options.trusts }),
  });
  const memory = new Memory({
    texts: options.memory,
    budgets: () => settings().memoryBudgets,
    hide,
  });
  const project = new ProjectFiles(readInside, options.trusts);
  const leftOutOf = ({ cwd, leftOut: { folder, paths } }: ProjectLook): LeftOutFiles => ({
    folder,
    paths: [...paths, ...skills.leftOut(cwd)],
  });
  const prompts = new PromptMaker({
    soul: soulReader(join(home, "SOUL.md")),
    async skills(session) {
      await skills.ready(session.cwd);
      return skillIndex(toldSkills(skills, session));
    },
    async project(cwd) {
      const look = project.look(cwd);
      return { text: await project.promptText(look), leftOut: leftOutOf(look).paths.length };
    },
    memory: (scope) => memory.promptText(scope),
    platform,
  });
  return {
    /** The files of a workspace that are not read because its folder is not trusted. */
    leftOut: (cwd: string): LeftOutFiles => leftOutOf(project.look(cwd)),
    skills,
    memory,
    toolsets: [skillToolset(skills, options.provideKeys), memoryToolset(memory)],
    commands: skillCommands(skills, options.lackingKeys ?? (() => [])),
    systemPrompt: prompts.make,
  };
}
