import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";
import { hasWords, PAGE_QUERY, pageOfNames } from "./list-page.ts";

const ModelRow = z
  .object({
    provider: z.string(),
    model: z.string(),
    label: z.string().exactOptional(),
    /** Sessions that choose none have it. */
    current: z.boolean(),
    /** Tokens: as its endpoint told, as it is configured, or as is usual for its family. */
    context_length: z.number().exactOptional(),
    vision: z.boolean().exactOptional(),
    /** US dollars per million tokens; absent when it is not known. */
    price: z.object({ input: z.number(), output: z.number() }).exactOptional(),
  })
  .meta({ title: "ModelRow" });

const ProviderRow = z
  .object({
    name: z.string(),
    kind: z.string().exactOptional(),
    /** Host and port; absent for the demo. */
    host: z.string().exactOptional(),
    current: z.boolean(),
    /** By the identity of the machine or a cloud login, without a key. */
    keyless: z.boolean(),
    models: z.number(),
    /** Why it cannot be used. */
    problem: z.string().exactOptional(),
    /** What its endpoint lets this process do, as it was learnt; absent before the first request. */
    limit: z
      .object({
        /** Milliseconds until the next request; 0 for at once. */
        wait_ms: z.number(),
        /** Requests that may wait for the beginning of their answers at the same time. */
        at_once: z.number(),
      })
      .exactOptional(),
  })
  .meta({ title: "ProviderRow" });

const ModelErrorRow = z
  .object({
    at: z.number().describe("Unix seconds"),
    session_id: z.string(),
    title: z.string(),
    code: z.string(),
    message: z.string(),
    retried: z.boolean().describe("The call was made again; otherwise the turn ended with it"),
  })
  .meta({ title: "ModelErrorRow" });

/** A model that can be chosen, as pages get it. */
export type ModelRow = z.output<typeof ModelRow>;
/** A provider, as pages get it. */
export type ProviderRow = z.output<typeof ProviderRow>;
/** An error of a model, as pages get it. */
export type ModelErrorRow = z.output<typeof ModelErrorRow>;

const LONGEST_PROMPT = 2000;
const LONGEST_NAME = 300;

const TryModel = z
  .object({
    provider: z.string().min(1).max(LONGEST_NAME),
    model: z.string().min(1).max(LONGEST_NAME),
    prompt: z.string().trim().min(1).max(LONGEST_PROMPT),
  })
  .meta({ title: "TryModel" });

/** The answer of a model that was tried. */
export const TriedModel = z
  .object({
    text: z.string(),
    /** Milliseconds until the first of the text, and until the end. */
    first_ms: z.number().exactOptional(),
    ms: z.number(),
    input_tokens: z.number().exactOptional(),
    output_tokens: z.number().exactOptional(),
    /** US dollars; absent when the price is not known. */
    cost: z.number().exactOptional(),
  })
  .meta({ title: "TriedModel" });

/** The models of a home. */
export interface ModelPort {
  models(signal: AbortSignal): Promise<readonly ModelRow[]>;
  providers(signal: AbortSignal): Promise<readonly ProviderRow[]>;
  /** Of the last day, the newest first. */
  errors(): Promise<readonly ModelErrorRow[]>;
  /** Makes a model the default; gives the one before. @throws HostError `invalid_params`, `config_invalid`, `model_*` */
  makeDefault(wish: { readonly provider: string; readonly model: string }): Promise<string>;
  /** Asks one short question outside of any session. @throws HostError `provider_*`, `model_*`, `timeout` */
  try(wish: z.output<typeof TryModel>, signal: AbortSignal): Promise<z.output<typeof TriedModel>>;
}

const ALL = "/dashboard/api/models";

const DefaultModel = z
  .object({ provider: z.string().min(1).max(200), model: z.string().min(1).max(400) })
  .meta({ title: "DefaultModel" });

const defaultRoute = (port: ModelPort): DashboardRoute =>
  route(
    `POST ${ALL}/default`,
    async (c, api: DashboardApi) => {
      const wish = await bodyOf(c, DefaultModel);
      const before = await port.makeDefault(wish);
      const noted = { before: { model: before }, after: { model: choiceOf(wish) } };
      await noteAt(c, api, { action: "model.default-changed", subject: choiceOf(wish), ...noted });
      return c.json({ ok: true });
    },
    {
      id: "makeDefaultModel",
      summary: "Make a model the default of sessions that choose none",
      body: DefaultModel,
      answer: Done,
    },
  );

/** Declares the routes of the page of models. */
export const modelPageRoutes = (port: ModelPort): readonly DashboardRoute[] => [
  reads(
    `GET ${ALL}`,
    async (c) => {
      const filter = c.req.query("q") ?? "";
      const wanted = (await port.models(c.req.raw.signal)).filter(({ provider, model, label = "" }) =>
        hasWords(filter, [choiceOf({ provider, model }), label]),
      );
      const sorted = wanted.toSorted((a, b) => (choiceOf(a) < choiceOf(b) ? -1 : 1));
      return pageOfNames(c, sorted, choiceOf);
    },
    {
      id: "listDashboardModels",
      summary: "Models that can be chosen, with context and price; `q` filters by name",
      answer: z
        .object({ data: z.array(ModelRow), next: z.string().exactOptional() })
        .meta({ title: "ModelPage" }),
      query: [...PAGE_QUERY, "q"],
    },
  ),
  reads(`GET ${ALL}/providers`, async (c) => ({ data: await port.providers(c.req.raw.signal) }), {
    id: "listDashboardProviders",
    summary: "Providers: whether they can be used, and the limits that were learnt",
    answer: z.object({ data: z.array(ProviderRow) }).meta({ title: "ProviderList" }),
  }),
  reads(
    `GET ${ALL}/errors`,
    async (c) => pageOfNames(c, await port.errors(), ({ at, session_id }) => newestFirst(at, session_id)),
    {
      id: "listModelErrors",
      summary: "What went wrong with models in the last day, newest first",
      answer: z
        .object({ data: z.array(ModelErrorRow), next: z.string().exactOptional() })
        .meta({ title: "ModelErrorPage" }),
      query: [...PAGE_QUERY],
    },
  ),
  defaultRoute(port),
  route(
    `POST ${ALL}/try`,
    async (c, api: DashboardApi) => {
      const wish = await bodyOf(c, TryModel);
      const tried = await port.try(wish, c.req.raw.signal);
      const { text: _text, ...after } = tried;
      await noteAt(c, api, { action: "model.tried", subject: choiceOf(wish), after });
      return c.json(tried);
    },
    {
      id: "tryModel",
      summary: "Ask a model one short question, outside of any session",
      body: TryModel,
      answer: TriedModel,
    },
  ),
];

const LATEST = 10 ** 13;

/** Names a moment so that later ones come first. */
const newestFirst = (at: number, more: string): string =>
  `${String(Math.round(LATEST - at * 1000)).padStart(14, "0")} ${more}`;

const choiceOf = ({ provider, model }: Pick<ModelRow, "provider" | "model">): string =>
  `${provider}:${model}`;
