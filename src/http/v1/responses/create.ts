import { KeyedQueue } from "../../../shared/async/keyed-queue.ts";
import { type Submission, newSessionId } from "../../../core/index.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import type { HttpContext } from "../../server/context.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { instructionsOf, type RequestMessage, storeHistory } from "../../turns/request-message.ts";
import { storeImages } from "../../turns/images.ts";
import { chooseModel, type ModelChoice } from "../../turns/model-choice.ts";
import { ASK_NOBODY } from "../../turns/questions.ts";
import type { SessionKey } from "../../turns/session-key.ts";
import { putSessionUnder, sessionUnder } from "../../turns/session-names.ts";
import { STATELESS_SOURCE } from "../../turns/stateless-sweeper.ts";
import type { TurnPlan } from "../../turns/turns.ts";
import { branchAfter, type Continuation, continueFrom } from "./continuation.ts";
import type { ReasoningForm } from "./items.ts";
import { type ResponseInput, saidOf } from "./request.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

interface Asked {
  readonly body: unknown;
  readonly read: ResponseInput;
  readonly key: SessionKey | undefined;
}

interface Planned extends Asked {
  readonly choice: ModelChoice;
  readonly response: StoredResponse;
  readonly previous: StoredResponse | undefined;
}

/** Begins responses: finds where their conversation goes on, and keeps them. */
export class ResponseStarter {
  readonly #api: ApiContext;
  readonly #responses: ResponseStore;
  /** Those who begin a response of a conversation wait for each other: the name stands for the newest one. */
  readonly #conversations = new KeyedQueue();

  constructor(api: ApiContext, responses: ResponseStore) {
    this.#api = api;
    this.#responses = responses;
  }

  async start(
    c: HttpContext,
    asked: Asked,
  ): Promise<{
    readonly response: StoredResponse;
    readonly choice: ModelChoice;
    readonly replayed: boolean;
  }> {
    const { host, settings, idempotency } = this.#api;
    const { read, key, body } = asked;
    const previous =
      read.previousId === undefined ? undefined : await this.#responses.previous(read.previousId);
    const models = host.services.models();
    const choice = chooseModel(c, read.request, { models, advertised: settings.modelName, lenient: true });
    const once = await idempotency.once<StoredResponse>(
      c,
      {
        route: "responses",
        fingerprint: [body, key?.raw, c.req.header("x-agent-model")],
        receipt: this.#newResponse(read, choice, previous),
        retryStopped: true,
      },
      (response) => {
        const begin = () => this.#begin(c, { ...asked, choice, response, previous });
        const { conversation } = read;
        return conversation === undefined ? begin() : this.#conversations.run(conversation, begin);
      },
    );
    return { response: once.receipt, choice, replayed: once.replayed };
  }

  #newResponse(
    read: ResponseInput,
    { shown }: ModelChoice,
    previous: StoredResponse | undefined,
  ): StoredResponse {
    const { clock, hex } = this.#api.host.services;
    const { request, previousId, conversation } = read;
    const reasoning = this.#reasoningOf(read);
    const instructions = request.instructions ?? previous?.instructions;
    return {
      id: `resp_${hex(14)}`,
      created: Math.floor(clock.now() / 1000),
      model: shown,
      stored: request.store,
      streamed: request.stream,
      ...(request.background ? { background: true } : {}),
      ...(reasoning === undefined ? {} : { reasoning }),
      ref: { sessionId: newSessionId(clock.now(), hex), promptId: `prompt_${hex(8)}`, after: 0 },
      ...(instructions === undefined ? {} : { instructions }),
      ...(request.metadata === undefined || request.metadata === null ? {} : { metadata: request.metadata }),
      ...(previousId === undefined ? {} : { previousId }),
      ...(conversation === undefined ? {} : { conversation }),
      said: saidOf(request),
    };
  }

  #reasoningOf({ request: { reasoning } }: ResponseInput): ReasoningForm | undefined {
    const asked = reasoning?.summary ?? reasoning?.generate_summary ?? "";
    if (asked !== "") return "summary";
    return this.#api.settings.reasoning ? "text" : undefined;
  }

  async #begin(c: HttpContext, planned: Planned): Promise<StoredResponse> {
    const { read, key } = planned;
    const { host } = this.#api;
    const latest =
      read.conversation === undefined ? undefined : await this.#responses.latest(read.conversation);
    const previous = planned.previous ?? latest;
    const instructions = planned.response.instructions ?? previous?.instructions;
    const named = { ...planned.response, ...(instructions === undefined ? {} : { instructions }) };
    const chained = read.history === undefined ? previous : undefined;
    const begin = async (place: Continuation | undefined): Promise<StoredResponse> => {
      const { onlyAfter, ...ref } = place ?? {};
      const response = place === undefined ? named : { ...named, ref: { ...named.ref, ...ref } };
      const isNew = place === undefined;
      // A session key's conversation holds what its clients repeat; to a chain they add what is new.
      const isAdded = isNew || chained !== undefined;
      await this.#submit(c, { ...planned, response }, { isNew, isAdded, onlyAfter });
      return response;
    };
    const hidden = !read.request.store;
    const place =
      chained === undefined
        ? await this.#placeOfKey(planned)
        : await continueFrom(host, { responses: this.#responses, previous: chained }, hidden);
    const response = await begin(place).catch(async (thrown: unknown) => {
      if (
        place?.onlyAfter === undefined ||
        toHostError(thrown).code !== "session_busy" ||
        chained === undefined
      )
        throw thrown;
      // Somebody was faster: the conversation splits here.
      const { seq } = await this.#responses.answerOf(chained);
      return await begin(await branchAfter(host, { previous: chained, at: seq }, hidden));
    });
    if (read.conversation !== undefined && response.stored)
      await this.#responses.putLatest(read.conversation, response.id);
    if (key !== undefined && response.stored) await putSessionUnder(host, key.scope, response.ref.sessionId);
    return response;
  }

  /** Without a chain and a history of its own, a session key names the conversation. */
  async #placeOfKey({ key, read }: Planned): Promise<Continuation | undefined> {
    const { host } = this.#api;
    const isFree = read.history === undefined && read.conversation === undefined && read.request.store;
    const sessionId = key === undefined || !isFree ? undefined : await sessionUnder(host, key.scope);
    if (sessionId === undefined) return undefined;
    return { sessionId, after: (await (await host.session(sessionId)).refresh()).seq };
  }

  async #submit(
    c: HttpContext,
    { response, choice, read, key }: Planned,
    {
      isNew,
      isAdded,
      onlyAfter,
    }: { readonly isNew: boolean; readonly isAdded: boolean; readonly onlyAfter: string | undefined },
  ): Promise<void> {
    const { settings, turns } = this.#api;
    const before = read.history ?? (isAdded ? read.input.before : []);
    const plan: TurnPlan = {
      ref: response.ref,
      settings: choice.settings,
      ...(isNew ? { open: this.#opening(response, choice) } : {}),
      ...(response.streamed && response.background !== true ? { graceMs: settings.disconnectGraceMs } : {}),
      submission: {
        ...(await this.#submission(c, { read, response, before })),
        ...(onlyAfter === undefined ? {} : { onlyAfter }),
        ...(key === undefined ? {} : { memoryScope: key.scope }),
      },
    };
    if (!response.stored) return void (await turns.begin(plan));
    await this.#responses.add(response);
    try {
      await turns.begin(plan);
    } catch (thrown) {
      await this.#responses.drop(response.id);
      throw thrown;
    }
  }

  #opening({ stored }: StoredResponse, choice: ModelChoice): NonNullable<TurnPlan["open"]> {
    return {
      platform: "api_server",
      cwd: this.#api.settings.workspace,
      settings: choice.settings,
      ...(stored ? {} : { hidden: true, source: STATELESS_SOURCE }),
    };
  }

  async #submission(
    c: HttpContext,
    {
      read,
      response,
      before,
    }: {
      readonly read: ResponseInput;
      readonly response: StoredResponse;
      readonly before: readonly RequestMessage[];
    },
  ): Promise<Submission> {
    const { host, images } = this.#api;
    const services = { store: host.services.store, source: images, signal: c.req.raw.signal };
    const { parts, param } = read.input.prompt;
    const instructions = [
      response.instructions,
      instructionsOf([...(read.history ?? []), ...read.input.before]),
    ].filter((text) => text !== undefined && text !== "");
    return {
      parts: await storeImages(parts, param, services),
      before: await storeHistory(before, services),
      from: { surface: "api", client: response.id },
      questions: ASK_NOBODY,
      ...(instructions.length === 0 ? {} : { instructions: instructions.join("\n") }),
    };
  }
}
