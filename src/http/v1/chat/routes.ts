import type { HttpApp, HttpContext } from "../../server/context.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { HttpError } from "../../server/http-error.ts";
import { clientToolsWarning, ignoredWarning, warningHeader } from "../../turns/request-warnings.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { storeHistory } from "../../turns/request-message.ts";
import { storeImages } from "../../turns/images.ts";
import { chooseModel, type ModelChoice } from "../../turns/model-choice.ts";
import { ASK_NOBODY } from "../../turns/questions.ts";
import { type SessionKey, readSessionKey } from "../../turns/session-key.ts";
import { STATELESS_SOURCE } from "../../turns/stateless-sweeper.ts";
import { unanswered } from "../../turns/unanswered.ts";
import { ChatEncoder, type ChatForm, encodeChat, shortfallOf } from "./encode.ts";
import { type ChatConversation, readChatRequest } from "./request.ts";
import { type ChatSession, type ChatReceipt, placeOf, putLabel } from "./chat-session.ts";

export function chatRoutes(app: HttpApp, api: ApiContext): void {
  app.post("/v1/chat/completions", async (c) => {
    api.admission.check();
    const body = await readJsonObject(c, api.settings);
    const { request, conversation } = readChatRequest(body);
    const toolsWarning = clientToolsWarning(body);
    const key = readSessionKey(c, api.settings.key);
    const place = await placeOf(c, api, conversation);
    const choice = choose(c, api, request);
    const asked: Asked = { conversation, key, place, choice };
    const { receipt, replayed } = await api.idempotency.once<ChatReceipt>(
      c,
      {
        route: "chat",
        fingerprint: [body, key?.raw, c.req.header("x-agent-session-id"), c.req.header("x-agent-model")],
        receipt: newReceipt(api, asked),
        retryStopped: true,
      },
      async (planned) => await begin(c, api, { ...asked, receipt: planned }),
    );
    const headers = {
      "x-agent-session-id": receipt.session,
      ...(key === undefined ? {} : { "x-agent-session-key": key.raw }),
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
      ...warningHeader([toolsWarning, ignoredWarning(body), choice.warning]),
    };
    const reasoning = request.include_reasoning ?? api.settings.reasoning;
    const answering: Answering = { receipt, headers, form: { reasoning } };
    return request.stream ? stream(c, api, answering) : await whole(c, api, answering);
  });
}

interface Asked {
  readonly conversation: ChatConversation;
  readonly key: SessionKey | undefined;
  readonly place: ChatSession;
  readonly choice: ModelChoice;
}

function choose(
  c: HttpContext,
  { host, settings }: ApiContext,
  wish: Parameters<typeof chooseModel>[1],
): ModelChoice {
  const models = host.services.models();
  return chooseModel(c, wish, { models, advertised: settings.modelName, lenient: true });
}

function newReceipt({ host }: ApiContext, { place, choice }: Asked): ChatReceipt {
  const { clock, hex } = host.services;
  return {
    id: `chatcmpl-${hex(15).slice(0, 29)}`,
    created: Math.floor(clock.now() / 1000),
    model: choice.shown,
    session: place.shown,
    ref: { sessionId: place.sessionId, promptId: `prompt_${hex(8)}`, after: 0 },
  };
}

async function begin(
  c: HttpContext,
  api: ApiContext,
  asked: Asked & { readonly receipt: ChatReceipt },
): Promise<ChatReceipt> {
  const { conversation, key, place, choice, receipt } = asked;
  const { host, settings, images } = api;
  const { store } = host.services;
  const services = { store, source: images, signal: c.req.raw.signal };
  const { parts, param } = conversation.prompt;
  const isKnown = place.kind === "known";
  const stateless = place.kind === "stateless";
  const before = stateless ? await storeHistory(conversation.before, services) : [];
  const { instructions } = conversation;
  const after = isKnown ? (await (await host.session(place.sessionId)).refresh()).seq : 0;
  const ref = { ...receipt.ref, after };
  // It need not be waited for: the store writes in order, so that it is there before the turn can end.
  if (stateless) putLabel(host.services, place.shown, place.sessionId);
  await api.turns.begin({
    ref,
    settings: choice.settings,
    ...(isKnown ? {} : { open: opening(settings.workspace, choice, stateless) }),
    ...(stateless ? { graceMs: settings.disconnectGraceMs } : {}),
    submission: {
      parts: await storeImages(parts, param, services),
      before,
      from: { surface: "api", client: receipt.id },
      questions: ASK_NOBODY,
      ...(instructions === undefined ? {} : { instructions }),
      ...(key === undefined ? {} : { memoryScope: key.scope }),
    },
  });
  return isKnown ? { ...receipt, ref } : receipt;
}

const opening = (cwd: string, { settings }: ModelChoice, stateless: boolean) => ({
  platform: "api_server" as const,
  cwd,
  settings,
  ...(stateless ? { hidden: true, source: STATELESS_SOURCE } : {}),
});

interface Answering {
  readonly receipt: ChatReceipt;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: ChatForm;
}

function stream(
  c: HttpContext,
  { streams, turns }: ApiContext,
  { receipt, headers, form }: Answering,
): Response {
  const encoder = new ChatEncoder(receipt, form);
  async function* frames(signal: AbortSignal): AsyncGenerator<string, void> {
    yield encoder.begin();
    for await (const event of turns.events(receipt.ref, { signal })) yield encoder.event(event);
    if (!signal.aborted) yield encoder.end();
  }
  return streams.answer(c, frames, {
    headers,
    failed: () => encoder.failed("The answer could not be read to its end."),
  });
}

async function whole(
  c: HttpContext,
  { turns }: ApiContext,
  { receipt, headers, form }: Answering,
): Promise<Response> {
  const answer = await turns.answer(receipt.ref, c.req.raw.signal);
  const shortfall = shortfallOf(answer);
  if (shortfall === undefined) return c.json(encodeChat(receipt, answer, form), 200, headers);
  const { error, partial, failed, error_code: code } = shortfall;
  const more = { ...headers, "x-agent-completed": "false", "x-agent-partial": String(partial) };
  if (partial)
    return c.json(encodeChat(receipt, answer, form), 200, { ...more, "x-agent-error": headerText(error) });
  const refused = unanswered(answer.error);
  throw new HttpError(refused.status, error, {
    code: refused.code,
    headers: more,
    extra: { agent: { completed: false, partial, failed, error_code: code } },
  });
}

const headerText = (text: string): string => text.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, "?");
