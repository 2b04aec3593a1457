import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, noteAt, reads } from "./dashboard-api.ts";
import { hasWords, PAGE_QUERY, pageOfNames } from "./list-page.ts";

const Target = z.enum(["memory", "user"]);

const RememberedFile = z
  .object({
    /** `memory`: what the agent learnt; `user`: who it works for. */
    target: Target,
    entries: z.array(z.string()),
    /** Characters of the whole file. */
    characters: z.number(),
    /** Characters that prompts show of it. */
    budget: z.number(),
  })
  .meta({ title: "MemoryFile" });

const RememberedScope = z
  .object({
    /** Empty: the owner's own. */
    scope: z.string(),
    files: z.array(RememberedFile),
  })
  .meta({ title: "MemoryScope" });

/** A file of the memory, as pages get it. */
export type RememberedFile = z.output<typeof RememberedFile>;
/** The memory about one person or place. */
export type RememberedScope = z.output<typeof RememberedScope>;

/** A page of the memory. */
export const MemoryPageWire = z
  .object({ data: z.array(RememberedScope), next: z.string().exactOptional() })
  .meta({ title: "MemoryPage" });

const Forget = z
  .object({ scope: z.string().max(200).default(""), target: Target, entry: z.string().min(1).max(20_000) })
  .meta({ title: "ForgetEntry" });

/** The memory of a home. */
export interface MemoryPort {
  list(): Promise<readonly RememberedScope[]>;
  /** Takes an entry out; gives the file as it is then. @throws HostError `invalid_params` when it is not there, `timeout` */
  forget(wish: z.output<typeof Forget>, signal: AbortSignal): Promise<RememberedFile>;
}

/** Declares the routes of the page of the memory. */
export const memoryPageRoutes = (memory: MemoryPort): readonly DashboardRoute[] => [
  reads(
    "GET /dashboard/api/memory",
    async (c) => {
      const filter = c.req.query("q") ?? "";
      const found = (await memory.list()).flatMap(({ scope, files }) => {
        const kept = files.map((file) => ({
          ...file,
          entries: file.entries.filter((entry) => hasWords(filter, [entry])),
        }));
        const isShown = filter.trim() === "" || kept.some(({ entries }) => entries.length > 0);
        return isShown ? [{ scope, files: kept }] : [];
      });
      return pageOfNames(c, found, ({ scope }) => scope);
    },
    {
      id: "listMemory",
      summary: "What the agent remembers, by whom or where it is about; `q` filters the entries",
      answer: MemoryPageWire,
      query: [...PAGE_QUERY, "q"],
    },
  ),
  route(
    "POST /dashboard/api/memory/forget",
    async (c, api: DashboardApi) => {
      const wish = await bodyOf(c, Forget);
      const file = await memory.forget(wish, c.req.raw.signal);
      // What is to be forgotten does not go on in the log of who forgot it.
      const subject = wish.scope === "" ? wish.target : `${wish.scope} ${wish.target}`;
      const noted = { before: { entries: file.entries.length + 1 }, after: { entries: file.entries.length } };
      await noteAt(c, api, { action: "memory.forgotten", subject, ...noted });
      return c.json(file);
    },
    { id: "forgetEntry", summary: "Forget an entry", body: Forget, answer: RememberedFile },
  ),
];
