import { untilAborted } from "../../../shared/async/deadline.ts";
import type { LearnedModel } from "../catalog/learned-facts.ts";
import { readModelList } from "../catalog/model-list.ts";
import { contextWarning, servedContext } from "../catalog/served-context.ts";
import { credentialHeaders, type Dialect } from "../dialects/dialect.ts";
import type { ModelSettings } from "../dialects/model-settings.ts";
import { askJson, type JsonQuestion } from "../endpoint/json-request.ts";
import type { ModelServices } from "./model-services.ts";

/** A model of a dialect, and the means to ask it. */
export interface AskedModel {
  readonly dialect: Dialect;
  readonly settings: ModelSettings;
  readonly services: ModelServices;
}

/**
 * Asks the endpoint once how much context it serves a model with, when its owner did not say. Gives a warning when that is
 * too little. An endpoint that does not tell leaves it at the usual length of the model's family.
 */
export async function askContext(
  model: AskedModel,
  known: LearnedModel,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { settings } = model;
  if (!settings.asksContext) return undefined;
  known.asked ??= ask(model, known);
  await Promise.race([known.asked, untilAborted(signal)]);
  const { contextLength } = known;
  if (contextLength === undefined || !settings.endpoint.local) return undefined;
  return contextWarning(settings.name, contextLength);
}

async function ask({ dialect, settings, services }: AskedModel, known: LearnedModel): Promise<void> {
  const { endpoint, name, provider } = settings;
  const { signal } = new AbortController();
  const credential = await services.credentials(signal).catch(() => undefined);
  // Small servers have few connections; the next request is the one that counts.
  const headers = { ...credentialHeaders(dialect, credential, settings), connection: "close" };
  const put = async (question: Pick<JsonQuestion, "path" | "body"> & { readonly at: typeof endpoint }) => {
    const answer = await askJson({ endpoint: question.at, headers, ...question }, { ...services, signal });
    return answer?.status === 200 ? answer.body : undefined;
  };
  const root = { ...endpoint, baseUrl: endpoint.baseUrl.replace(/\/v1$/, "") };
  const served = endpoint.local
    ? await servedContext(name, (path, body) => put({ at: root, path, body }))
    : undefined;
  const { path } = dialect.modelList;
  const contextLength = served ?? contextOf(name, await put({ at: endpoint, path, body: undefined }));
  if (contextLength === undefined) return;
  known.contextLength = contextLength;
  services.keepContext?.({ provider, model: name, contextLength });
}

const contextOf = (model: string, list: unknown): number | undefined =>
  readModelList(list)?.find(({ id }) => id === model)?.contextLength;
