import { z } from "zod";
import { reads, type DashboardRoute } from "./dashboard-api.ts";
import { PAGE_QUERY, wantedPage } from "./list-page.ts";

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

/** Declares the audit log. */
export const AUDIT_ROUTES: readonly DashboardRoute[] = [
  reads(
    "GET /dashboard/api/audit",
    async (c, { audit }) => {
      const page = await audit.page(wantedPage(c));
      const data = page.entries.map(({ at, ...entry }) => ({ ...entry, at: Math.floor(at / 1000) }));
      return page.next === undefined ? { data } : { data, next: page.next };
    },
    {
      id: "listAudit",
      summary: "Who did what, newest first; `after` is the `next` of the page before",
      answer: AuditPageWire,
      query: [...PAGE_QUERY],
    },
  ),
];
