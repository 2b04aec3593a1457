import { type ListedModel, readModelList } from "../../catalog/model-list.ts";
import { servedContext } from "../../catalog/served-context.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { type DetectedDialect, type EndpointProbe, probeHeaders } from "../dialect.ts";

/** A server with more models than these is not asked about each. */
const SHORT_LIST = 8;
/** Legacy addresses of the cloud service list their models only with one of these. */
const LIST_VERSIONS = [undefined, "2025-04-01-preview", "2024-10-21"];

/** Tells whether an endpoint lists models as chat endpoints do, without and with an `api-version`. */
export async function detectChat(
  endpoint: Endpoint,
  probe: EndpointProbe,
): Promise<DetectedDialect | undefined> {
  for (const version of LIST_VERSIONS) {
    const query = version === undefined ? endpoint.query : { "api-version": version, ...endpoint.query };
    const asked = { ...endpoint, query };
    const headers = probeHeaders(probe.credential);
    const answer = await probe.ask({ endpoint: asked, path: "/models", headers });
    const listed = answer?.status === 200 ? readModelList(answer.body) : undefined;
    if (listed === undefined) continue;
    const models =
      listed.length > SHORT_LIST
        ? listed
        : await Promise.all(listed.map((model) => withContext(model, asked, probe)));
    return { endpoint: asked, models, by: "models" };
  }
  return undefined;
}

/** A list may say what a model was made for; how much context its server was started with is said elsewhere. */
async function withContext(
  model: ListedModel,
  endpoint: Endpoint,
  probe: EndpointProbe,
): Promise<ListedModel> {
  if (!endpoint.local) return model;
  const root = { ...endpoint, baseUrl: endpoint.baseUrl.replace(/\/v1$/, "") };
  const contextLength = await servedContext(model.id, async (path, body) => {
    const answer = await probe.ask({ endpoint: root, path, body });
    return answer?.status === 200 ? answer.body : undefined;
  });
  return contextLength === undefined ? model : { ...model, contextLength };
}
