import { Deadline } from "../../../shared/async/deadline.ts";
import type * as NodeHttp from "node:http";
import { createRequire } from "node:module";
import type { Clock } from "../../../shared/async/clock.ts";
import { defined } from "../../../shared/json/defined.ts";
import { KINDS, PROVIDER_KINDS, type ProviderKind } from "../dialects/registry.ts";
import { type ListedModel, readModelList } from "../catalog/model-list.ts";

/** A model server that answered on this machine. */
export interface LocalServer {
  /** The kind whose usual address it is. */
  readonly kind?: ProviderKind;
  /** As `model.base_url` takes it. */
  readonly baseUrl: string;
  readonly models: readonly ListedModel[];
}

/** The kinds of provider that run on their owner's machine, by their usual address. */
const USUAL_SERVERS: ReadonlyMap<string, ProviderKind> = new Map(
  KINDS.flatMap((kind) => {
    const { menu, selfHosted, baseUrl } = PROVIDER_KINDS[kind];
    return menu === undefined || selfHosted !== true || baseUrl === undefined
      ? []
      : [[baseUrl.replace(/\/v1$/, ""), kind] as const];
  }),
);

/** The addresses on this machine that are asked for a model server. */
export const LOCAL_SERVER_ADDRESSES: readonly string[] = [...USUAL_SERVERS.keys()];

const LONGEST_LIST = 1024 * 1024;

/**
 * Asks the usual local addresses for their models, all at once; what does not answer in time with a model list is no
 * model server. Never rejects.
 *
 * @param options.timeoutMs - milliseconds, 500 by default
 */
export async function findLocalServers(options: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly addresses?: readonly string[];
  readonly timeoutMs?: number;
}): Promise<readonly LocalServer[]> {
  const { addresses = LOCAL_SERVER_ADDRESSES, timeoutMs = 500 } = options;
  using deadline = new Deadline({ ...options, ms: timeoutMs });
  const found = await Promise.all(addresses.map((address) => ask(address, deadline.signal)));
  return found.filter((server) => server !== undefined);
}

async function ask(address: string, signal: AbortSignal): Promise<LocalServer | undefined> {
  const baseUrl = `${address}/v1`;
  try {
    const models = readModelList(JSON.parse(await getText(`${baseUrl}/models`, signal)));
    return models === undefined
      ? undefined
      : { baseUrl, models, ...defined({ kind: USUAL_SERVERS.get(address) }) };
  } catch {
    // Nothing answers, or something else than a model server.
    return undefined;
  }
}

/** A plain GET. This runs while a command starts: `require` loads the module in a tenth of the time of an import, and no client library. */
function getText(url: string, signal: AbortSignal): Promise<string> {
  const http: typeof NodeHttp = createRequire(import.meta.url)("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = (answer: NodeHttp.IncomingMessage): void => {
    if (answer.statusCode !== 200) return refuse(new Error(`status ${answer.statusCode}`));
    const pieces: Buffer[] = [];
    let size = 0;
    answer.on("data", (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size > LONGEST_LIST) refuse(new Error("too long"));
    });
    answer.on("end", () => resolve(Buffer.concat(pieces).toString()));
    answer.on("error", reject);
  };
  const request = http.get(url, { signal, agent: false }, read);
  request.on("error", reject);
  return promise;

  function refuse(error: Error): void {
    request.destroy();
    reject(error);
  }
}
