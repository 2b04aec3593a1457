import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";

const ApprovalRule = z
  .object({
    list: z.enum(["allowed", "denied"]),
    rule: z.string(),
    covers: z.string().describe("What it covers, in words"),
  })
  .meta({ title: "ApprovalRule" });

const RemoveRule = z.object({ rule: z.string().min(1).max(4096) }).meta({ title: "RemoveApprovalRule" });

/** A rule of what runs without asking, or never. */
export type ApprovalRule = z.output<typeof ApprovalRule>;

/** The rules of a home. */
export interface ApprovalRulePort {
  list(): Promise<readonly ApprovalRule[]>;
  /** Removes a rule, named by its text; gives it. @throws HostError `not_found` */
  remove(rule: string): Promise<ApprovalRule>;
}

const ALL = "/dashboard/api/approvals/rules";

/** Declares the rules that "always" has left behind. */
export const approvalRoutes = (rules: ApprovalRulePort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, async () => ({ data: await rules.list() }), {
    id: "listApprovalRules",
    summary: "What runs without asking, and what never runs",
    answer: z.object({ data: z.array(ApprovalRule) }).meta({ title: "ApprovalRuleList" }),
  }),
  route(
    `POST ${ALL}/remove`,
    async (c, api: DashboardApi) => {
      const removed = await rules.remove((await bodyOf(c, RemoveRule)).rule);
      await noteAt(c, api, {
        action: "approval.removed",
        subject: removed.rule,
        before: { list: removed.list },
      });
      return c.json({ ok: true });
    },
    { id: "removeApprovalRule", summary: "Remove a rule", body: RemoveRule, answer: Done },
  ),
];
