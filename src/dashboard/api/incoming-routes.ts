import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, noteAt, reads } from "./dashboard-api.ts";
import { PAGE_QUERY, wantedPage, type WantedPage } from "./list-page.ts";

const IncomingRoute = z
  .object({
    name: z.string(),
    source: z.enum(["built in", "config.yaml", "subscription"]),
    url: z.string(),
    /** All when empty. */
    events: z.array(z.string()),
    deliver: z.string(),
    description: z.string().exactOptional(),
    /** Why it takes no calls. */
    off: z.string().exactOptional(),
  })
  .meta({ title: "IncomingWebhookRoute" });
/** A route that other software calls. */
export type IncomingRoute = z.output<typeof IncomingRoute>;

/** The routes, and whether anything listens. */
export const IncomingRoutesWire = z
  .object({
    data: z.array(IncomingRoute),
    /** Why nothing listens. */
    off: z.string().exactOptional(),
  })
  .meta({ title: "IncomingWebhookRoutes" });

/** A call as lists show it. */
export const IncomingCall = z
  .object({
    id: z.string(),
    at: z.number().describe("Unix seconds"),
    route: z.string(),
    /** At the door, and what became of it if it was accepted. */
    outcome: z.enum([
      "ignored",
      "duplicate",
      "refused",
      "working",
      "completed",
      "failed",
      "delivered",
      "cancelled",
    ]),
    event: z.string().exactOptional(),
    delivery_id: z.string().exactOptional(),
    reason: z.string().exactOptional(),
  })
  .meta({ title: "IncomingWebhookCall" });
/** A call as lists show it. */
export type IncomingCall = z.output<typeof IncomingCall>;

/** A call with the beginning of its body, and its answer. */
export const IncomingCallDetail = IncomingCall.extend({
  body: z.string().exactOptional(),
  /** The body was longer than what is kept. */
  is_cut: z.boolean(),
  response: z.string().exactOptional(),
  session_id: z.string().exactOptional(),
}).meta({ title: "IncomingWebhookCallDetail" });
/** A call with the beginning of its body, and its answer. */
export type IncomingCallDetail = z.output<typeof IncomingCallDetail>;

const CallPage = z
  .object({ data: z.array(IncomingCall), next: z.number().exactOptional() })
  .meta({ title: "IncomingWebhookCallPage" });
const TestBody = z
  .object({ payload: z.string().max(100_000).exactOptional() })
  .meta({ title: "TestWebhookCall" });
const TestAnswer = z.object({ status: z.int(), text: z.string() }).meta({ title: "TestWebhookAnswer" });

/** The calls of other software. */
export interface IncomingPort {
  routes(): Promise<z.output<typeof IncomingRoutesWire>>;
  calls(
    query: WantedPage & { readonly words: string; readonly state: string },
  ): Promise<z.output<typeof CallPage>>;
  /** @throws HostError `not_found` */
  call(id: string): Promise<IncomingCallDetail>;
  /** Calls a route as its sender would. @throws HostError `not_found`, `invalid_params`, `fetch_failed` */
  test(route: string, payload: string | undefined): Promise<z.output<typeof TestAnswer>>;
}

const ROUTES = "/dashboard/api/webhooks/routes";
const CALLS = "/dashboard/api/webhooks/calls";

/** Declares the routes of calls that other software makes. */
export const incomingPageRoutes = (incoming: IncomingPort): readonly DashboardRoute[] => [
  reads(`GET ${ROUTES}`, () => incoming.routes(), {
    id: "listIncomingWebhookRoutes",
    summary: "The routes that other software calls, without their secrets",
    answer: IncomingRoutesWire,
  }),
  route(
    `POST ${ROUTES}/{route_id}/test`,
    async (c, api: DashboardApi, id) => {
      const { payload } = await bodyOf(c, TestBody);
      const answer = await incoming.test(id, payload);
      await noteAt(c, api, { action: "webhook-route.tested", subject: id });
      return c.json(answer);
    },
    {
      id: "testIncomingWebhookRoute",
      summary: "Call a route with a signed event, as its sender would",
      body: TestBody,
      answer: TestAnswer,
    },
  ),
  reads(
    `GET ${CALLS}`,
    (c) => {
      const { q: words = "", state = "" } = c.req.query();
      return incoming.calls({ ...wantedPage(c), words, state });
    },
    {
      id: "listIncomingWebhookCalls",
      summary: "The newest calls, whatever became of them",
      answer: CallPage,
      query: [...PAGE_QUERY, "q", "state"],
    },
  ),
  reads(`GET ${CALLS}/{call_id}`, (_c, _api, id) => incoming.call(id), {
    id: "getIncomingWebhookCall",
    summary: "A call with the beginning of its body, without secrets, and its answer",
    answer: IncomingCallDetail,
  }),
];
