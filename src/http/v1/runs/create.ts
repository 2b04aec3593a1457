import type { HttpContext } from "../../server/context.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { instructionsOf, type RequestMessage } from "../../turns/request-message.ts";
import type { Run } from "../../turns/runs.ts";
import { putSessionOfKey, type SessionKey, sessionOfKey } from "../../turns/session-key.ts";
import { type Prepare, readTurnRequest, startTurn } from "../../turns/start-turn.ts";
import { endOfSession, newTurnRef } from "../../turns/turn-ref.ts";
import { continueFrom } from "../responses/continuation.ts";
import type { ResponseStore, StoredResponse } from "../responses/response-store.ts";
import { readRunRequest, type RunInput } from "./request.ts";

/** Answers `POST /v1/runs`: begins a run and answers at once. */
export async function createRun(
  c: HttpContext,
  api: ApiContext,
  responses: ResponseStore,
): Promise<Response> {
  const request = await readTurnRequest(c, api, "run");
  const { body, key } = request;
  const input = readRunRequest(body);
  const { previous_response_id: id } = input.request;
  const { receipt, replayed, headers } = await startTurn<Run>(c, api, {
    route: "runs",
    request,
    model: input.request,
    fingerprint: [body, key?.raw, c.req.header("x-agent-model")],
    async plan({ shown }) {
      const previous = typeof id === "string" && id !== "" ? await responses.previous(id) : undefined;
      const place = await placeRun(api, input, { key, model: shown });
      const beginning = { input, key, place, previous, responses };
      return { receipt: place.run, begin: (prepare) => begin(api, beginning, prepare) };
    },
  });
  const { runId, session } = receipt;
  const status = replayed ? (await api.runs.status(runId)).state : "started";
  return c.json({ run_id: runId, status, replayed, session_id: session }, 202, headers);
}

interface Beginning {
  readonly input: RunInput;
  readonly key: SessionKey | undefined;
  readonly place: RunPlace;
  /** The response that the request names to continue from. */
  readonly previous: StoredResponse | undefined;
  readonly responses: ResponseStore;
}

async function begin(api: ApiContext, beginning: Beginning, prepare: Prepare): Promise<Run> {
  const { input, key, previous } = beginning;
  const { run, known, before } = await chained(api, beginning);
  const plan = await prepare({
    ref: run.ref,
    client: run.runId,
    newSession: known ? undefined : "listed",
    prompt: input.input.prompt,
    before,
    instructions: [instructionsOf(before), input.request.instructions ?? previous?.instructions],
  });
  await api.turns.begin(plan, api.runs.record(run));
  if (key !== undefined) await putSessionOfKey(api.host, key, run.ref.sessionId);
  return run;
}

interface RunPlace {
  readonly run: Run;
  /** The session exists. */
  readonly known: boolean;
  readonly before: readonly RequestMessage[];
}

/** Finds the session that the request names, that of its session key, or one of the run's own. */
async function placeRun(
  { host, runs }: ApiContext,
  { input, history, sessionId }: RunInput,
  { key, model }: { readonly key: SessionKey | undefined; readonly model: string },
): Promise<RunPlace> {
  const runId = runs.newId();
  const named = sessionId ?? (key && (await sessionOfKey(host, key)));
  const found = named === undefined ? undefined : await host.record(named);
  // A history of the client's own does not mix with a session's: it gets a new session.
  const known = found !== undefined && history === undefined;
  const own = found === undefined ? (named ?? runId) : known ? found.id : runId;
  const end = known ? await endOfSession(host, own) : { sessionId: own, after: 0 };
  return {
    run: {
      runId,
      session: sessionId ?? own,
      model,
      createdAt: host.services.clock.now(),
      ref: newTurnRef(host, end),
    },
    known,
    before: history ?? (known ? [] : input.before),
  };
}

/** Continues from a response, unless the client names a session or brings a history. */
async function chained(
  { host }: ApiContext,
  { input, place, previous, responses }: Beginning,
): Promise<RunPlace> {
  if (previous === undefined || input.history !== undefined || input.sessionId !== undefined) return place;
  const { sessionId, after } = await continueFrom(host, { responses, previous }, false);
  const { run } = place;
  return {
    run: { ...run, session: sessionId, ref: { ...run.ref, sessionId, after } },
    known: true,
    before: [],
  };
}
