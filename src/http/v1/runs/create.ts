import type { Host } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HttpContext } from "../../server/context.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { instructionsOf, type RequestMessage } from "../../turns/request-message.ts";
import type { Run } from "../../turns/runs.ts";
import { putSessionOfKey, type SessionKey, sessionOfKey } from "../../turns/session-key.ts";
import { type Prepare, readTurnRequest, startTurn } from "../../turns/start-turn.ts";
import { endOfSession, newTurnRef } from "../../turns/turn-ref.ts";
import { continueFrom } from "../responses/continuation.ts";
import type { ConversationsContext } from "../conversations/conversation-store.ts";
import type { ResponseStore, StoredResponse } from "../responses/response-store.ts";
import { readRunRequest, type RunInput } from "./request.ts";

/** Answers `POST /v1/runs`: begins a run and answers at once. */
export async function createRun(c: HttpContext, api: ConversationsContext): Promise<Response> {
  const request = await readTurnRequest(c, api, "run");
  const { body, key } = request;
  const input = readRunRequest(body);
  const { host, responses } = api;
  const { history } = input;
  const { previous_response_id: id } = input.request;
  let turnId: string | undefined;
  const { receipt, replayed, headers } = await startTurn<Run>(c, api, {
    route: "runs",
    request,
    model: input.request,
    fingerprint: [body, key?.raw, c.req.header("x-agent-model")],
    async plan({ shown }) {
      const previous = typeof id === "string" && id !== "" ? await responses.previous(id) : undefined;
      const planned = await placeRun(api, input, { key, model: shown });
      // A client that names a session or brings a history does not continue from a response.
      const continues = previous !== undefined && history === undefined && input.sessionId === undefined;
      const begin = async (prepare: Prepare): Promise<Run> => {
        const place = continues ? await chained(host, planned, { responses, previous }) : planned;
        const { run, known, before } = place;
        const plan = await prepare({
          ref: run.ref,
          client: run.runId,
          newSession: known ? undefined : "listed",
          prompt: input.input.prompt,
          before,
          instructions: [instructionsOf(before), input.request.instructions ?? previous?.instructions],
        });
        turnId = await api.turns.begin(plan, api.runs.record(run));
        if (key !== undefined) await putSessionOfKey(host, key, run.ref.sessionId);
        return run;
      };
      return { receipt: planned.run, begin };
    },
  });
  const { runId, session } = receipt;
  const { state: status, answer } = replayed
    ? await api.runs.status(runId)
    : { state: "started", answer: { turnId } };
  const turn = defined({ turn_id: answer.turnId });
  return c.json({ run_id: runId, status, replayed, session_id: session, ...turn }, 202, headers);
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

/** Continues from a response. */
async function chained(
  host: Host,
  { run }: RunPlace,
  from: { readonly responses: ResponseStore; readonly previous: StoredResponse },
): Promise<RunPlace> {
  const { sessionId, after } = await continueFrom(host, from, false);
  const ref = { ...run.ref, sessionId, after };
  return { run: { ...run, session: sessionId, ref }, known: true, before: [] };
}
