import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { auditLine } from "../audit/audit-log.ts";
import { type DashboardApi, type DashboardRoute, noteAt, reads } from "./dashboard-api.ts";
import { downloadOf } from "./download.ts";
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
  route<DashboardApi>(
    "GET /dashboard/api/audit/export",
    async (c, api) => {
      await noteAt(c, api, { action: "audit.export" });
      return c.body(downloadOf(api.audit.entries(), auditLine), 200, {
        "content-type": "application/jsonl; charset=utf-8",
        "content-disposition": 'attachment; filename="audit.jsonl"',
      });
    },
    {
      id: "exportAudit",
      summary: "The audit log to keep: an entry a line of JSON, newest first, times as ISO 8601",
      plain: true,
    },
  ),
];
