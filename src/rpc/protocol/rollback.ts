import { z } from "zod";
import { sessionMethod } from "./method.ts";

const session = { session_id: z.string() };
const hash = z
  .union([z.string().min(1), z.int().min(1)])
  .describe("A turn by its hash, its number in the list from 1, or the id of its prompt.");

const file = z.object({ path: z.string(), reason: z.string() });

/** Methods that go back to before a turn: with its files, the conversation, or both. */
export const ROLLBACK_METHODS = {
  "rollback.list": sessionMethod({
    summary: "The turns that can be gone back to, the oldest first, with the files that each changed.",
    params: z.object(session),
    result: z.object({
      enabled: z.boolean(),
      checkpoints: z.array(
        z.object({
          hash: z.string(),
          timestamp: z.string(),
          message: z.string(),
          number: z.number(),
          kind: z.enum(["turn", "taken_back", "rewind"]),
          prompt_id: z.string().optional(),
          files: z.array(
            z.object({
              path: z.string(),
              change: z.enum(["added", "changed", "deleted"]),
              added: z.number(),
              removed: z.number(),
              not_kept: z.string().optional(),
            }),
          ),
          more_files: z.number(),
          added: z.number(),
          removed: z.number(),
          restorable: z.boolean(),
          notes: z.array(z.string()),
        }),
      ),
    }),
    codes: { store_unavailable: 5020 },
  }),
  "rollback.diff": sessionMethod({
    summary: "What a turn did to files, as a unified diff; `limit` characters of it, 4000 by default.",
    params: z.object({ ...session, hash, limit: z.int().min(1).max(1_000_000).default(4000) }),
    result: z.object({ stat: z.string(), diff: z.string() }),
    codes: { not_found: 4014, store_unavailable: 5022 },
    wrong: { hash: 4014 },
  }),
  "rollback.restore": sessionMethod({
    summary:
      "Goes back to before a turn: `scope` is `conversation`, `files` or `both`, the default; with `file_path` only that file. What somebody else changed meanwhile stays and is named in `conflicts`, unless `force` is set. `preview` tells without doing.",
    params: z.object({
      ...session,
      hash,
      file_path: z.string().min(1).optional(),
      scope: z.enum(["conversation", "files", "both"]).optional(),
      force: z.boolean().default(false),
      preview: z.boolean().default(false),
    }),
    result: z.object({
      success: z.boolean(),
      error: z.string().optional(),
      message: z.string().optional(),
      reason: z.string().optional(),
      restored_to: z.string().optional(),
      history_removed: z.number().optional(),
      restored: z.array(z.string()).optional(),
      /** Those of the restored that were not there before: they are gone. */
      removed: z.array(z.string()).optional(),
      conflicts: z.array(file).optional(),
      failed: z.array(file).optional(),
      not_undone: z.array(z.string()).optional(),
      prompt: z.string().optional(),
    }),
    codes: { not_found: 4014, store_unavailable: 5021 },
    wrong: { hash: 4014 },
  }),
} as const;
