import { type ApiRoute, route } from "../../server/api-route.ts";
import type { HttpContext } from "../../server/context.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { type Prepare, readTurnRequest, startTurn, type TurnRequest } from "../../turns/start-turn.ts";
import { streamTurn } from "../../turns/stream-turn.ts";
import { endOfSession, newTurnRef } from "../../turns/turn-ref.ts";
import { unansweredError } from "../../turns/unanswered-error.ts";
import { ChatEncoder, type ChatForm, type ChatReceipt, encodeChat, shortfallOf } from "./encode.ts";
import { ChatRequest, type ChatConversation, readChatRequest } from "./request.ts";
import { createHash } from "node:crypto";
import { type Host, newSessionId, type Services } from "../../../core/index.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import { sessionHeader, sessionOfHeader } from "../../turns/session-header.ts";
import { readSessionId } from "../../turns/session-key.ts";
import { STATELESS_MS } from "../../turns/stateless-sweeper.ts";

/** The routes of chat completions. */
export const CHAT_ROUTES: readonly ApiRoute<ApiContext>[] = [
  route("POST /v1/chat/completions", createChat, {
    id: "createChatCompletion",
    summary: "Answer a conversation",
    endpoint: "chat_completions",
    body: ChatRequest,
    stream: "asked",
    starts: true,
    headers: ["X-Agent-Session-Id"],
  }),
];

async function createChat(c: HttpContext, api: ApiContext): Promise<Response> {
  const opened = await readTurnRequest(c, api, "completion");
  const { request, conversation } = readChatRequest(opened.body);
  const session = await findChatSession(c, api.host, conversation);
  const { receipt, headers: more } = await start(c, api, { opened, request, conversation, session });
  const headers = { ...sessionHeader(receipt.session), ...more };
  const form = { reasoning: request.include_reasoning ?? api.settings.reasoning };
  if (!request.stream) return await answerWhole(c, api, { receipt, headers, form });
  return streamTurn(c, api, { ref: receipt.ref, encoder: new ChatEncoder(receipt, form), headers });
}

interface Asked {
  readonly opened: TurnRequest;
  readonly request: ChatRequest;
  readonly conversation: ChatConversation;
  readonly session: ChatSession;
}

function start(c: HttpContext, api: ApiContext, { opened, request, conversation, session }: Asked) {
  const { host, turns } = api;
  const { clock, hex } = host.services;
  const { body, key } = opened;
  const isKnown = session.kind === "known";
  const stateless = session.kind === "stateless";
  return startTurn<ChatReceipt>(c, api, {
    route: "chat",
    request: opened,
    model: request,
    fingerprint: [body, key?.raw, c.req.header("x-agent-session-id"), c.req.header("x-agent-model")],
    plan({ shown }) {
      const receipt = {
        id: `chatcmpl-${hex(15).slice(0, 29)}`,
        created: Math.floor(clock.now() / 1000),
        model: shown,
        session: session.shown,
        ref: newTurnRef(host, { sessionId: session.sessionId, after: 0 }),
      };
      const begin = async (prepare: Prepare): Promise<ChatReceipt> => {
        const end = isKnown ? await endOfSession(host, session.sessionId) : {};
        const ref = { ...receipt.ref, ...end };
        const plan = await prepare({
          ref,
          client: receipt.id,
          newSession: stateless ? "hidden" : isKnown ? undefined : "listed",
          prompt: conversation.prompt,
          before: stateless ? conversation.before : [],
          instructions: [conversation.instructions],
          needsReader: stateless,
        });
        // The store writes in order: the label is there before the turn can end, without waiting for it.
        if (stateless) putLabel(host.services, session);
        await turns.begin(plan);
        return isKnown ? { ...receipt, ref } : receipt;
      };
      return { receipt, begin };
    },
  });
}

interface Answering {
  readonly receipt: ChatReceipt;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: ChatForm;
}

async function answerWhole(
  c: HttpContext,
  { turns }: ApiContext,
  { receipt, headers, form }: Answering,
): Promise<Response> {
  const answer = await turns.wholeAnswer(receipt.ref, c.req.raw.signal);
  const shortfall = shortfallOf(answer);
  if (shortfall === undefined) return c.json(encodeChat(receipt, answer, form), 200, headers);
  const { error, partial, failed, error_code } = shortfall;
  const more = { ...headers, "x-agent-completed": "false", "x-agent-partial": String(partial) };
  if (!partial)
    throw unansweredError(error, answer.error, {
      headers: more,
      agent: { completed: false, partial, failed, error_code },
    });
  const shown = error.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, "?");
  return c.json(encodeChat(receipt, answer, form), 200, { ...more, "x-agent-error": shown });
}

/** The session of a chat completion. */
interface ChatSession {
  readonly sessionId: string;
  /** The answer's `X-Agent-Session-Id`: the session as the client named it, or the label of a stateless call. */
  readonly shown: string;
  readonly kind: "stateless" | "new" | "known";
}

const SPACE = "http.labels";

/**
 * Finds the session of a chat completion: the one that the client names, by its id or by the label of its newest
 * stateless call; else a session of its own, with a label that follows from the beginning of the conversation.
 *
 * @throws HttpError 400
 */
async function findChatSession(
  c: HttpContext,
  host: Host,
  conversation: ChatConversation,
): Promise<ChatSession> {
  const { clock, hex, store } = host.services;
  const named = sessionOfHeader(c);
  if (named === "")
    return { sessionId: newSessionId(clock.now(), hex), shown: labelOf(conversation), kind: "stateless" };
  readSessionId(named, "X-Agent-Session-Id");
  const labelled = await store.records.get(SPACE, named);
  const known = labelled?.value ?? named;
  if ((await host.record(known)) !== undefined) return { sessionId: known, shown: named, kind: "known" };
  return { sessionId: named, shown: named, kind: "new" };
}

/** Gives the label of a stateless conversation, which is the same for all its turns. */
function labelOf({ instructions = "", opening }: ChatConversation): string {
  return `api-${createHash("sha256").update(`${instructions}\n${opening}`).digest("hex").slice(0, 16)}`;
}

/** Remembers the newest session of a label. */
function putLabel({ store, clock, report }: Services, { shown, sessionId }: ChatSession): void {
  const expiresAt = clock.now() + STATELESS_MS;
  store.records
    .put({ space: SPACE, key: shown, value: sessionId, expiresAt })
    .catch((thrown: unknown) => report(toHostError(thrown)));
}
