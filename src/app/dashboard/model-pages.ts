import type { Model, ModelListing } from "../../core/index.ts";
import type { ModelPort, ModelRow, ProviderRow } from "../../dashboard/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defaultChanges } from "../../shared/json/default-model.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Agent } from "../compose.ts";
import { askOnce } from "../model-setup/ask-once.ts";
import { modelErrors } from "../usage/model-errors.ts";

const DAY_MS = 24 * 3_600_000;
const TRY_MS = 60_000;
const MOST_TOKENS = 500;
const MILLION = 1_000_000;

/** The models of a home, for the dashboard. */
export function modelPages({ host, live }: Pick<Agent, "host" | "live">): ModelPort {
  return {
    models: async (signal) => (await live.models.list(signal)).map((listed) => rowOf(live, listed)),
    async providers(signal) {
      const byName = Map.groupBy(await live.models.list(signal), ({ provider }) => provider);
      return [...byName].map(([name, listed]) => providerOf(live, name, listed));
    },
    async errors() {
      const found = await modelErrors(host, host.services.clock.now() - DAY_MS);
      return found.map(({ session, at, ...error }) => ({
        ...error,
        session_id: session,
        at: at / 1000,
      }));
    },
    async makeDefault({ provider, model: name }) {
      const chosen = live.models.resolve({ provider, model: name });
      const before = live.models.resolve({});
      const block = live.current.config["model"];
      await live.change(defaultChanges({ provider, name: chosen.name }, before.provider, block));
      return `${before.provider}:${before.name}`;
    },
    async try({ provider, model: name, prompt }, asking) {
      const model = live.models.resolve({ provider, model: name });
      const late = AbortSignal.timeout(TRY_MS);
      const signal = AbortSignal.any([asking, late]);
      const system = "Answer briefly.";
      const answer = await askOnce(model, { system, prompt, maxOutputTokens: MOST_TOKENS, signal });
      if (late.aborted)
        throw new HostError("timeout", `${provider}:${name} did not end its answer in ${TRY_MS / 1000} s.`);
      const { text, firstMs, ms, usage } = answer;
      const cost = usage && live.models.price(model, { calls: 1, ...usage });
      return {
        text,
        ms,
        ...defined({
          first_ms: firstMs,
          input_tokens: usage?.input,
          output_tokens: usage?.output,
          cost,
        }),
      };
    },
  };
}

function rowOf({ models }: Agent["live"], { provider, model, label, current }: ModelListing): ModelRow {
  const row = { provider, model, current, ...defined({ label }) };
  const usable = usableModel(() => models.resolve({ provider, model }));
  if ("problem" in usable) return row;
  const { contextLength, vision } = usable.model;
  const price = priceOf(models, usable.model);
  return { ...row, context_length: contextLength, vision, ...defined({ price }) };
}

function priceOf(models: Agent["live"]["models"], model: Model): ModelRow["price"] {
  const one = { calls: 1, input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const input = models.price(model, { ...one, input: MILLION });
  const output = models.price(model, { ...one, output: MILLION });
  return input === undefined || output === undefined ? undefined : { input, output };
}

function providerOf(
  { models, limitOf }: Agent["live"],
  name: string,
  listed: readonly ModelListing[],
): ProviderRow {
  const ref = { provider: name, ...defined({ model: listed[0]?.model }) };
  const base = { name, models: listed.length, current: listed.some(({ current }) => current) };
  const usable = usableModel(() => {
    models.ready?.(ref);
    return models.resolve(ref);
  });
  const about = usableModel(() => models.about(ref));
  const { kind, host, keyless } =
    "model" in about ? about.model : { kind: undefined, host: undefined, keyless: false };
  const limit = host === undefined ? undefined : limitOf(host);
  return {
    ...base,
    keyless,
    ...defined({
      kind,
      host,
      problem: "problem" in usable ? usable.problem : undefined,
      limit: limit && { wait_ms: limit.waitMs, at_once: limit.atOnce },
    }),
  };
}

/** What something gives, or why it cannot be had. */
function usableModel<T>(find: () => T): { readonly model: T } | { readonly problem: string } {
  try {
    return { model: find() };
  } catch (thrown) {
    return { problem: toHostError(thrown).message };
  }
}
