import { join, relative, resolve } from "node:path";
import type { Clock } from "../../shared/async/clock.ts";
import { type Knowledge, type MemoryTexts, openKnowledge } from "../../providers/knowledge/index.ts";
import { readTextInside } from "../../providers/tools/index.ts";
import { agentFolders } from "../config/home.ts";
import { FolderTrust } from "../trust/folder-trust.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { homeParts } from "../store/home-parts.ts";
import { provideKey } from "../keys/required-keys.ts";

const MEMORY_CHARACTERS = { memory: 3000, user: 1500 };

interface KnowledgeParts {
  readonly clock: Clock;
  readonly platform: string;
  /** The process stays. */
  readonly stays: boolean;
  /** The folders that were decided about; those of the home by default. */
  readonly trust?: FolderTrust;
  /** New folders are trusted in this process. */
  readonly trustsNew?: boolean;
  /** The keeper of what is remembered; files of the home by default. */
  readonly memory?: MemoryTexts;
}

/** Skills, memory and the system prompt of a home. */
export function homeKnowledge(live: LiveSettings, parts: KnowledgeParts): Knowledge {
  const { clock, platform, stays } = parts;
  const { home } = live.current.paths;
  const apart = agentFolders(live.current.paths, live.env);
  const isOwn = (folder: string): boolean => !relative(home, folder).startsWith("..");
  const knowledge = openKnowledge({
    home,
    platform,
    clock,
    trusts: folderRule(live, parts),
    readInside: (path, folder, limit) =>
      readTextInside(
        path,
        { cwd: folder, roots: [folder], apart: isOwn(folder) ? [] : apart },
        { limit, platform },
      ),
    memory: parts.memory ?? homeParts(home).memory,
    hide: (text) => live.redactor().hide(text),
    async provideKeys({ name: skill, source, requires }, context) {
      const whose = source === "workspace" ? "of this workspace " : "";
      const reason = `The skill ${skill} ${whose}needs a key, which all commands will see.`;
      const problems: string[] = [];
      for (const name of requires) {
        const problem = await provideKey(live, context, { name, reason, forCommands: true });
        if (problem !== undefined) problems.push(problem);
      }
      return problems;
    },
    lackingKeys: ({ requires }) =>
      requires.filter((name) => (live.env[name] ?? "") === "" || !live.commandVariables.includes(name)),
    disableSkills: (names) => live.change([[["skills", "disabled"], names.length === 0 ? undefined : names]]),
    settings() {
      const { skills = {}, memory = {} } = live.current.blocks;
      const userHome = live.env["HOME"];
      return {
        skillFolders: (skills.folders ?? []).map((folder) => absolute(folder, home, userHome)),
        disabledSkills: skills.disabled ?? [],
        memoryBudgets: {
          memory: memory.characters ?? MEMORY_CHARACTERS.memory,
          user: memory.user_characters ?? MEMORY_CHARACTERS.user,
        },
      };
    },
  });
  if (stays) knowledge.skills.warm();
  return knowledge;
}

/** A decision counts; for a folder without one the setting does. */
function folderRule(
  live: LiveSettings,
  { trust = new FolderTrust(live.current.paths.home), trustsNew = false }: KnowledgeParts,
): (folder: string) => boolean {
  return (folder) =>
    trust.decisionAbout(folder)?.trusted ??
    (trustsNew || live.current.blocks.trust?.new_folders === "trusted");
}

/** Relative paths start at the agent's home, `~/` at the user's. */
const absolute = (path: string, home: string, userHome = home): string =>
  path.startsWith("~/") ? join(userHome, path.slice(2)) : resolve(home, path);
