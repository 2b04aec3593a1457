import { z } from "zod";
import { countOf } from "../../http/server/decode.ts";
import { reads, type DashboardRoute } from "./dashboard-api.ts";

const Entry = z
  .object({
    id: z.string(),
    at: z.number().describe("Unix seconds"),
    who: z.string(),
    from: z.string(),
    action: z.string(),
    subject: z.string().exactOptional(),
    before: z.unknown().exactOptional(),
    after: z.unknown().exactOptional(),
  })
  .meta({ title: "AuditEntry" });

/** A page of the audit log. */
export const AuditPageWire = z
  .object({ data: z.array(Entry), next: z.number().exactOptional() })
  .meta({ title: "AuditPage" });

const LIMIT = { otherwise: 50, most: 1000 } as const;

/** Declares the audit log. */
export const AUDIT_ROUTES: readonly DashboardRoute[] = [
  reads(
    "GET /dashboard/api/audit",
    async (c, { audit }) => {
      const after = c.req.query("after");
      const page = await audit.page({
        limit: Math.max(1, countOf(c.req.query("limit"), LIMIT)),
        ...(after === undefined
          ? {}
          : { after: countOf(after, { otherwise: 0, most: Number.MAX_SAFE_INTEGER }) }),
      });
      const data = page.entries.map(({ at, ...entry }) => ({ ...entry, at: Math.floor(at / 1000) }));
      return page.next === undefined ? { data } : { data, next: page.next };
    },
    {
      id: "listAudit",
      summary: "Who did what, newest first; `after` is the `next` of the page before",
      answer: AuditPageWire,
      query: ["after", "limit"],
    },
  ),
];
