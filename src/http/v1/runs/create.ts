import { type SettingsPatch } from "../../../core/index.ts";
import type { ApiContext } from "../../server/context.ts";
import { readJsonObject } from "../../server/json-body.ts";
import type { Desk } from "../../turns/desk.ts";
import { instructionsOf, type ReadMessage, storeHistory } from "../../turns/given-messages.ts";
import { storeImages } from "../../turns/images.ts";
import { chooseModel } from "../../turns/model-choice.ts";
import { ASK_APPROVALS } from "../../turns/questions.ts";
import type { Run } from "../../turns/runs.ts";
import { type SessionKey, sessionKeyOf } from "../../turns/session-key.ts";
import { putSessionUnder, sessionUnder } from "../../turns/session-names.ts";
import { type ChainPlace, placeAfter } from "../responses/chain.ts";
import type { Responses, StoredResponse } from "../responses/stored.ts";
import { type ReadRun, readRunRequest } from "./request.ts";

/** `POST /v1/runs`: begins a run and answers at once. */
export async function startRun(c: ApiContext, desk: Desk, responses: Responses): Promise<Response> {
  const { admission, settings, host, keys, runs } = desk;
  admission.checkOpen();
  const key = sessionKeyOf(c, settings.key);
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
  const planned = await placeRun(desk, read, { key, model: choice.shown });
  const { ticket: run, replayed } = await keys.once<Run>(
    c,
    {
      route: "runs",
      fingerprint: [body, key?.raw, c.req.header("x-agent-model")],
      ticket: planned.run,
      retryStopped: false,
    },
    async (ticket) => {
      const chain = previous === undefined ? undefined : await chained(desk, read, { responses, previous });
      const placed = chain === undefined ? { ...planned, run: ticket } : onChain(ticket, chain);
      const instructions = read.request.instructions ?? previous?.instructions;
      await begin(c, desk, { ...placed, read, key, instructions, settings: choice.settings });
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
  readonly before: readonly ReadMessage[];
}

/** The session that the request names, that of its session key, or one of the run's own. */
async function placeRun(
  { host, runs }: Desk,
  { input, history, sessionId }: ReadRun,
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
  { host }: Desk,
  { history, sessionId }: ReadRun,
  { responses, previous }: { readonly responses: Responses; readonly previous: StoredResponse },
): Promise<ChainPlace | undefined> {
  if (history !== undefined || sessionId !== undefined) return undefined;
  return await placeAfter(host, { responses, previous }, false);
}

const onChain = (run: Run, { sessionId, after }: ChainPlace): Place => ({
  run: { ...run, session: sessionId, ref: { ...run.ref, sessionId, after } },
  known: true,
  before: [],
});

interface Beginning extends Place {
  readonly instructions: string | undefined;
  readonly read: ReadRun;
  readonly key: SessionKey | undefined;
  readonly settings: SettingsPatch;
}

async function begin(
  c: ApiContext,
  desk: Desk,
  { run, known, before, read, key, instructions: own, settings }: Beginning,
): Promise<void> {
  const { host, images, runs } = desk;
  desk.admission.check();
  const services = { store: host.services.store, source: images, signal: c.req.raw.signal };
  const { parts, param } = read.input.prompt;
  const instructions = [instructionsOf(before), own].filter((text) => text !== undefined && text !== "");
  await runs.begin(run, {
    settings,
    ...(known ? {} : { open: { platform: "api_server", cwd: desk.settings.workspace, settings } }),
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
