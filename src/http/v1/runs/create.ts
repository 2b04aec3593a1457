import { type SettingsPatch } from "../../../core/index.ts";
import type { HttpContext } from "../../server/context.ts";
import { readJsonObject } from "../../server/json-body.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { instructionsOf, type RequestMessage, storeHistory } from "../../turns/request-message.ts";
import { storeImages } from "../../turns/images.ts";
import { chooseModel } from "../../turns/model-choice.ts";
import { ASK_APPROVALS } from "../../turns/questions.ts";
import type { Run } from "../../turns/runs.ts";
import { type SessionKey, readSessionKey } from "../../turns/session-key.ts";
import { putSessionUnder, sessionUnder } from "../../turns/session-names.ts";
import { type Continuation, continueFrom } from "../responses/continuation.ts";
import type { ResponseStore, StoredResponse } from "../responses/response-store.ts";
import { type RunInput, readRunRequest } from "./request.ts";

/** `POST /v1/runs`: begins a run and answers at once. */
export async function startRun(c: HttpContext, api: ApiContext, responses: ResponseStore): Promise<Response> {
  const { admission, settings, host, idempotency, runs } = api;
  admission.checkOpen();
  const key = readSessionKey(c, settings.key);
  const body = await readJsonObject(c, settings);
  const read = readRunRequest(body);
  const choice = chooseModel(c, read.request, {
    models: host.services.models(),
    advertised: settings.modelName,
    lenient: false,
  });
  const { previous_response_id: previousId } = read.request;
  const previous =
    typeof previousId === "string" && previousId !== "" ? await responses.previous(previousId) : undefined;
  const planned = await placeRun(api, read, { key, model: choice.shown });
  const { receipt: run, replayed } = await idempotency.once<Run>(
    c,
    {
      route: "runs",
      fingerprint: [body, key?.raw, c.req.header("x-agent-model")],
      receipt: planned.run,
      retryStopped: false,
    },
    async (receipt) => {
      const chain = previous === undefined ? undefined : await chained(api, read, { responses, previous });
      const placed = chain === undefined ? { ...planned, run: receipt } : onChain(receipt, chain);
      const instructions = read.request.instructions ?? previous?.instructions;
      await begin(c, api, { ...placed, read, key, instructions, settings: choice.settings });
      return placed.run;
    },
  );
  const status = replayed ? (await runs.status(run.runId)).state : "started";
  const headers = {
    ...(key === undefined ? {} : { "x-agent-session-key": key.raw }),
    ...(replayed ? { "idempotency-replayed": "true" } : {}),
  };
  return c.json({ run_id: run.runId, status, replayed, session_id: run.session }, 202, headers);
}

interface Place {
  readonly run: Run;
  /** The session is there already. */
  readonly known: boolean;
  readonly before: readonly RequestMessage[];
}

/** The session that the request names, that of its session key, or one of the run's own. */
async function placeRun(
  { host, runs }: ApiContext,
  { input, history, sessionId }: RunInput,
  { key, model }: { readonly key: SessionKey | undefined; readonly model: string },
): Promise<Place> {
  const { clock, hex } = host.services;
  const runId = runs.newId();
  const named = sessionId ?? (key === undefined ? undefined : await sessionUnder(host, key.scope));
  const found = named === undefined ? undefined : await host.record(named);
  // History of the client's own does not mix with a session's: it gets one of its own.
  const known = found !== undefined && history === undefined;
  const own = found === undefined ? (named ?? runId) : known ? found.id : runId;
  const after = known ? (await (await host.session(own)).refresh()).seq : 0;
  return {
    run: {
      runId,
      session: sessionId ?? own,
      model,
      createdAt: clock.now(),
      ref: { sessionId: own, promptId: `prompt_${hex(8)}`, after },
    },
    known,
    before: history ?? (known ? [] : input.before),
  };
}

/** Where the conversation of a response goes on. A session that the client names, or a history that it gives, wins. */
async function chained(
  { host }: ApiContext,
  { history, sessionId }: RunInput,
  { responses, previous }: { readonly responses: ResponseStore; readonly previous: StoredResponse },
): Promise<Continuation | undefined> {
  if (history !== undefined || sessionId !== undefined) return undefined;
  return await continueFrom(host, { responses, previous }, false);
}

const onChain = (run: Run, { sessionId, after }: Continuation): Place => ({
  run: { ...run, session: sessionId, ref: { ...run.ref, sessionId, after } },
  known: true,
  before: [],
});

interface Beginning extends Place {
  readonly instructions: string | undefined;
  readonly read: RunInput;
  readonly key: SessionKey | undefined;
  readonly settings: SettingsPatch;
}

async function begin(
  c: HttpContext,
  api: ApiContext,
  { run, known, before, read, key, instructions: own, settings }: Beginning,
): Promise<void> {
  const { host, images, runs } = api;
  api.admission.check();
  const services = { store: host.services.store, source: images, signal: c.req.raw.signal };
  const { parts, param } = read.input.prompt;
  const instructions = [instructionsOf(before), own].filter((text) => text !== undefined && text !== "");
  await runs.begin(run, {
    settings,
    ...(known ? {} : { open: { platform: "api_server", cwd: api.settings.workspace, settings } }),
    submission: {
      parts: await storeImages(parts, param, services),
      before: await storeHistory(before, services),
      from: { surface: "api", client: run.runId },
      questions: ASK_APPROVALS,
      ...(instructions.length === 0 ? {} : { instructions: instructions.join("\n") }),
      ...(key === undefined ? {} : { memoryScope: key.scope }),
    },
  });
  if (key !== undefined) await putSessionUnder(host, key.scope, run.ref.sessionId);
}
