import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { sessionAt } from "../server/page-access.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";

const Repairable = z.enum(["budget", "connector", "delivery", "message", "job", "address"]);

const AttentionItem = z
  .object({
    /** `app`, `persona` and `user`: repaired where they are set up. */
    kind: z.enum([...Repairable.options, "app", "persona", "user"]),
    id: z.string(),
    title: z.string(),
    why: z.string(),
    since: z.number().exactOptional().describe("Unix seconds"),
    session_id: z.string().exactOptional(),
  })
  .meta({ title: "AttentionItem" });

const Repair = z
  .object({
    kind: Repairable,
    id: z.string().min(1).max(400),
    budget: z
      .string()
      .trim()
      .max(40)
      .regex(/^(?:\$?[\d.,_]+[km]?|off|default)$/i, "must be like 200k, $2.50, off or default")
      .optional()
      .describe("Of a session whose budget is used up: what it may use from now on"),
  })
  .meta({ title: "RepairRequest" });

/** A thing that goes no further until somebody does something. */
export type AttentionItem = z.output<typeof AttentionItem>;

/** The things that need somebody, beside open questions. */
export interface AttentionPort {
  list(): Promise<readonly AttentionItem[]>;
  /** @throws HostError `not_found`, `conflict`, `invalid_params` */
  repair(wish: z.output<typeof Repair>, who: string): Promise<void>;
}

const ALL = "/dashboard/api/attention";

/** Declares what needs somebody now. */
export const attentionRoutes = (attention: AttentionPort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, async () => ({ data: await attention.list() }), {
    id: "listAttention",
    summary:
      "What needs somebody, beside open questions: budgets that are used up, connectors that are down, and what failed in the last days",
    answer: z.object({ data: z.array(AttentionItem) }).meta({ title: "AttentionList" }),
  }),
  route(
    `POST ${ALL}/repair`,
    async (c, api: DashboardApi) => {
      const wish = await bodyOf(c, Repair);
      await attention.repair(wish, sessionAt(c)?.who ?? "");
      const { kind, id, budget } = wish;
      await noteAt(c, api, {
        action: `${kind}.repaired`,
        subject: id,
        ...(budget === undefined ? {} : { after: { budget } }),
      });
      return c.json({ ok: true });
    },
    {
      id: "repair",
      summary: "Raise a budget and go on, connect anew, send again, answer once more, run again, switch on",
      body: Repair,
      answer: Done,
    },
  ),
];
