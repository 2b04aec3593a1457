import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";

const ConnectorRow = z
  .object({
    /** Its key in `platforms` of config.yaml. */
    platform: z.string(),
    title: z.string(),
    /** A chat platform that people write on, or a server of this agent. */
    kind: z.enum(["chat", "server"]),
    state: z.enum(["connecting", "connected", "retrying", "standby", "off", "disabled"]),
    enabled: z.boolean(),
    /** It has all keys that it needs. */
    ready: z.boolean(),
    /** The account's name there. */
    bot: z.string().exactOptional(),
    since: z.number().exactOptional().describe("Unix seconds"),
    last_error: z.string().exactOptional(),
    last_error_at: z.number().exactOptional(),
    /** Why it is off. */
    reason: z.string().exactOptional(),
    /** Why it cannot be switched from here. */
    fixed: z.string().exactOptional(),
  })
  .meta({ title: "ConnectorRow" });

const hours = z.array(z.number());
const TrafficRow = z
  .object({ platform: z.string(), in: hours, out: hours })
  .meta({ title: "TrafficRow", description: "Messages of the last 24 hours, hour by hour." });

const LONGEST_VALUE = 4096;
/** Neither a file of variables nor a header can hold control characters. */
const line = z
  .string()
  .trim()
  .max(LONGEST_VALUE)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "must be one line");

/** What setting a platform up asks for. */
export const ConnectorSetup = z
  .object({
    platform: z.string(),
    title: z.string(),
    secrets: z.array(
      z.object({
        variable: z.string(),
        /** What it is and where to get it. */
        about: z.string(),
        /** There is one; it is never shown. */
        known: z.boolean(),
      }),
    ),
    /** Where the platform is; `needed` when nothing is usual. */
    base_url: z.object({ value: z.string(), needed: z.boolean() }),
    /** The sender's number or id, where one account has several. */
    from: z.object({ about: z.string(), value: z.string() }).exactOptional(),
  })
  .meta({ title: "ConnectorSetup" });

const SetupAnswers = z
  .object({
    /** By their variables. An absent or empty one stays as it is. */
    secrets: z.record(z.string().max(100), line).default({}),
    base_url: line.optional(),
    from: line.optional(),
    /** Also when the platform does not take them. */
    save_anyway: z.boolean().default(false),
  })
  .meta({ title: "ConnectorSetupAnswers" });

/** What became of setting a platform up. */
export const SetUpConnector = z
  .object({
    saved: z.boolean(),
    /** The account's name there, when it was reached. */
    bot: z.string().exactOptional(),
    /** Why it was not reached. */
    fault: z.string().exactOptional(),
    /** What still keeps the saved values from counting. */
    note: z.string().exactOptional(),
  })
  .meta({ title: "SetUpConnector" });

const Switch = z.object({ enabled: z.boolean() }).meta({ title: "SwitchConnector" });
const TestMessage = z.object({ chat: line.optional() }).meta({ title: "TestMessage" });

/** A connector as pages get it. */
export type ConnectorRow = z.output<typeof ConnectorRow>;
/** The messages of a platform as pages get them. */
export type TrafficRow = z.output<typeof TrafficRow>;

/** The connectors of a home. All that name a platform throw HostError `not_found` for one that is not there. */
export interface ConnectorControl {
  list(): Promise<readonly ConnectorRow[]>;
  traffic(): Promise<readonly TrafficRow[]>;
  setup(platform: string): Promise<z.output<typeof ConnectorSetup>>;
  /** @throws HostError `invalid_params` for a variable that is not the platform's own, or an answer that is missing */
  setUp(
    platform: string,
    answers: z.output<typeof SetupAnswers>,
  ): Promise<z.output<typeof SetUpConnector> & { readonly changed: Readonly<Record<string, unknown>> }>;
  /** Gives whether it was on before. @throws HostError `invalid_params`, `conflict` when something else decides */
  turn(platform: string, enabled: boolean): Promise<boolean>;
  /** @throws HostError `invalid_params`, `delivery_failed`, `fetch_failed`, `timeout` */
  test(platform: string, chat: string | undefined): Promise<void>;
}

const ALL = "/dashboard/api/connectors";
const ONE = `${ALL}/{platform_id}` as const;

/** Declares the routes of the page of connectors. */
export const connectorPageRoutes = (connectors: ConnectorControl): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, async () => ({ data: await connectors.list() }), {
    id: "listDashboardConnectors",
    summary: "Chat platforms and servers: what is on, since when, and the last error",
    answer: z.object({ data: z.array(ConnectorRow) }).meta({ title: "ConnectorList" }),
  }),
  reads(`GET ${ALL}/traffic`, async () => ({ data: await connectors.traffic() }), {
    id: "connectorTraffic",
    summary: "Messages in and out of the last 24 hours, of the chat platforms that are on",
    answer: z.object({ data: z.array(TrafficRow) }).meta({ title: "ConnectorTraffic" }),
  }),
  reads(`GET ${ONE}/setup`, (_c, _api, id) => connectors.setup(id), {
    id: "connectorSetup",
    summary: "What setting a chat platform up asks for, and what is there already",
    answer: ConnectorSetup,
  }),
  route(
    `POST ${ONE}/setup`,
    async (c, api: DashboardApi, id) => {
      const { changed, ...result } = await connectors.setUp(id, await bodyOf(c, SetupAnswers));
      if (result.saved) await noteAt(c, api, { action: "connector.set-up", subject: id, after: changed });
      return c.json(result);
    },
    {
      id: "setUpConnector",
      summary: "Try a chat platform's secrets, save them, and switch it on",
      body: SetupAnswers,
      answer: SetUpConnector,
    },
  ),
  route(
    `POST ${ONE}/switch`,
    async (c, api: DashboardApi, id) => {
      const { enabled } = await bodyOf(c, Switch);
      const before = await connectors.turn(id, enabled);
      const noted = { before: { enabled: before }, after: { enabled } };
      await noteAt(c, api, { action: "connector.switched", subject: id, ...noted });
      return c.json({ ok: true });
    },
    { id: "switchConnector", summary: "Switch a connector on or off", body: Switch, answer: Done },
  ),
  route(
    `POST ${ONE}/test`,
    async (c, api: DashboardApi, id) => {
      const { chat } = await bodyOf(c, TestMessage);
      await connectors.test(id, chat === "" ? undefined : chat);
      await noteAt(c, api, { action: "connector.tested", subject: id });
      return c.json({ ok: true });
    },
    { id: "testConnector", summary: "Send a test message", body: TestMessage, answer: Done },
  ),
];
