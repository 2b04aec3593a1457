import type { Platform } from "../../core/index.ts";

const OTHERS: ReadonlySet<Platform> = new Set(["webhook", "chat", "app"]);

/** Whether the prompts of a platform come from other people than the owner: their commands run inside, or not at all. */
export const isOfOthers = (platform: Platform): boolean => OTHERS.has(platform);
