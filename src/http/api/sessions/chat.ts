import type { SessionRecord } from "../../../core/index.ts";
import type { HttpContext } from "../../server/context.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { runtimeOf } from "../../turns/model-choice.ts";
import type { Run } from "../../turns/runs.ts";
import { sessionHeader } from "../../turns/session-header.ts";
import { readTurnRequest, startTurn, type StartedTurn } from "../../turns/start-turn.ts";
import { streamTurn } from "../../turns/stream-turn.ts";
import { encodeTokens } from "../../turns/turn-answer.ts";
import { endOfSession, newTurnRef } from "../../turns/turn-ref.ts";
import { unansweredError } from "../../turns/unanswered-error.ts";
import { readChat } from "./request.ts";
import { SessionStreamEncoder } from "./stream-encode.ts";

/** Answers `POST /api/sessions/{session_id}/chat` with one turn, whole. */
export async function chatOnce(c: HttpContext, api: ApiContext, session: SessionRecord): Promise<Response> {
  const { receipt: run, headers } = await start(c, api, { session, route: "session-chat" });
  const answer = await api.turns.wholeAnswer(run.ref, c.req.raw.signal);
  const { outcome, error, text } = answer;
  if (outcome !== "completed" && text === "")
    throw unansweredError(error?.message ?? `The turn was ${outcome ?? "interrupted"}.`, error, {
      headers,
      agent: { completed: false, partial: false, failed: outcome === "failed" },
    });
  return c.json(
    {
      object: "agent.session.chat.completion",
      session_id: session.id,
      run_id: run.runId,
      message: { role: "assistant", content: text },
      usage: encodeTokens(answer.usage),
      runtime: await runtime(api, session.id),
      ...(outcome === "completed" ? {} : { error: error?.message ?? outcome }),
    },
    200,
    headers,
  );
}

/** Answers `POST /api/sessions/{session_id}/chat/stream` with one turn, as it goes. */
export async function chatStream(c: HttpContext, api: ApiContext, session: SessionRecord): Promise<Response> {
  const { receipt: run, headers } = await start(c, api, { session, route: "session-stream" });
  const encoder = new SessionStreamEncoder(run, {
    runtime: await runtime(api, session.id),
    reasoning: api.settings.reasoning,
  });
  return streamTurn(c, api, { ref: run.ref, encoder, headers });
}

async function runtime({ host }: ApiContext, id: string) {
  const session = await host.session(id);
  return { ...runtimeOf(host.services.models(), session.state.settings), route_source: "session" };
}

async function start(
  c: HttpContext,
  api: ApiContext,
  { session: { id }, route }: { readonly session: SessionRecord; readonly route: string },
): Promise<StartedTurn<Run>> {
  const { host, runs, turns } = api;
  const request = await readTurnRequest(c, api, "run");
  const { body, key } = request;
  const { body: fields, parts, instructions } = readChat(body);
  const started = await startTurn<Run>(c, api, {
    route,
    request,
    model: fields,
    fingerprint: [id, body, key?.raw, c.req.header("x-agent-model")],
    async plan({ shown: model }) {
      const ref = newTurnRef(host, await endOfSession(host, id));
      const createdAt = host.services.clock.now();
      const run: Run = { runId: runs.newId(), session: id, model, createdAt, ref };
      return {
        receipt: run,
        async begin(prepare) {
          const prompt = { parts, param: "message" };
          const draft = {
            ref,
            client: run.runId,
            prompt,
            instructions: [instructions],
            counted: false,
          } as const;
          await turns.begin(await prepare(draft), runs.record(run));
          return run;
        },
      };
    },
  });
  return { ...started, headers: { ...sessionHeader(id), ...started.headers } };
}
