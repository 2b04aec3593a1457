import type { SessionRecord } from "../../../core/index.ts";
import type { HttpContext } from "../../server/context.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { HttpError } from "../../server/http-error.ts";
import { encodeSse } from "../../server/encode-sse.ts";
import { encodeTokens } from "../../turns/answer-usage.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { storeImages } from "../../turns/images.ts";
import { chooseModel, runtimeOf } from "../../turns/model-choice.ts";
import { ASK_APPROVALS } from "../../turns/questions.ts";
import type { Run } from "../../turns/runs.ts";
import { unanswered } from "../../turns/unanswered.ts";
import { type SessionKey, readSessionKey } from "../../turns/session-key.ts";
import { type ChatInput, readChat } from "./request.ts";
import { SessionStreamEncoder } from "./stream-encode.ts";

/** `POST /api/sessions/{session_id}/chat`: one turn, and its answer. */
export async function chatOnce(c: HttpContext, api: ApiContext, session: SessionRecord): Promise<Response> {
  const { run, headers } = await begin(c, api, { session, route: "session-chat" });
  const answer = await api.turns.answer(run.ref, c.req.raw.signal);
  if (answer.outcome !== "completed" && answer.text === "") {
    const { status, code } = unanswered(answer.error);
    throw new HttpError(status, answer.error?.message ?? `The turn was ${answer.outcome ?? "interrupted"}.`, {
      code,
      headers,
      extra: { agent: { completed: false, partial: false, failed: answer.outcome === "failed" } },
    });
  }
  return c.json(
    {
      object: "agent.session.chat.completion",
      session_id: session.id,
      run_id: run.runId,
      message: { role: "assistant", content: answer.text },
      usage: encodeTokens(answer.usage),
      runtime: await runtime(api, session.id),
      ...(answer.outcome === "completed" ? {} : { error: answer.error?.message ?? answer.outcome }),
    },
    200,
    headers,
  );
}

/** `POST /api/sessions/{session_id}/chat/stream`: one turn, as it goes. */
export async function chatStream(c: HttpContext, api: ApiContext, session: SessionRecord): Promise<Response> {
  const { run, headers } = await begin(c, api, { session, route: "session-stream" });
  const encoder = new SessionStreamEncoder(run, {
    runtime: await runtime(api, session.id),
    reasoning: api.settings.reasoning,
  });
  async function* frames(signal: AbortSignal): AsyncGenerator<string, void> {
    for await (const event of api.turns.events(run.ref, { signal })) yield encoder.event(event);
  }
  const failed = (): string =>
    encodeSse({
      event: "error",
      data: JSON.stringify({ message: "The events could not be read to their end." }),
    });
  return api.streams.answer(c, frames, { headers, failed });
}

async function runtime({ host }: ApiContext, id: string) {
  const session = await host.session(id);
  return { ...runtimeOf(host.services.models(), session.state.settings), route_source: "session" };
}

interface Begun {
  readonly run: Run;
  readonly headers: Readonly<Record<string, string>>;
}

async function begin(
  c: HttpContext,
  api: ApiContext,
  { session, route }: { readonly session: SessionRecord; readonly route: string },
): Promise<Begun> {
  const { admission, settings, host, idempotency, runs } = api;
  admission.checkOpen();
  const body = await readJsonObject(c, settings);
  const turn = readChat(body);
  const key = readSessionKey(c, settings.key);
  const options = { models: host.services.models(), advertised: settings.modelName, lenient: false };
  const choice = chooseModel(c, turn.body, options);
  const { clock, hex } = host.services;
  const after = (await (await host.session(session.id)).refresh()).seq;
  const receipt: Run = {
    runId: runs.newId(),
    session: session.id,
    model: choice.shown,
    createdAt: clock.now(),
    ref: { sessionId: session.id, promptId: `prompt_${hex(8)}`, after },
  };
  const fingerprint = [session.id, body, key?.raw, c.req.header("x-agent-model")];
  const once = await idempotency.once(
    c,
    { route, fingerprint, receipt, retryStopped: false },
    async (run) => {
      const submission = await submissionOf(c, api, { turn, key, run });
      await runs.begin(run, { settings: choice.settings, counted: false, submission });
      return run;
    },
  );
  const headers = {
    "x-agent-session-id": session.id,
    ...(key === undefined ? {} : { "x-agent-session-key": key.raw }),
    ...(once.replayed ? { "idempotency-replayed": "true" } : {}),
  };
  return { run: once.receipt, headers };
}

async function submissionOf(
  c: HttpContext,
  { host, images }: ApiContext,
  { turn, key, run }: { readonly turn: ChatInput; readonly key: SessionKey | undefined; readonly run: Run },
) {
  const services = { store: host.services.store, source: images, signal: c.req.raw.signal };
  return {
    parts: await storeImages(turn.parts, "message", services),
    from: { surface: "api", client: run.runId },
    questions: ASK_APPROVALS,
    ...(turn.instructions === undefined ? {} : { instructions: turn.instructions }),
    ...(key === undefined ? {} : { memoryScope: key.scope }),
  };
}
