import { METHOD_NOT_FOUND } from "../../jsonrpc/index.ts";
import type { OpenRequest, QuestionKind, QuestionParams, QuestionResult } from "../protocol/question.ts";

/** The handlers of the host's questions; a kind without a handler comes as an event instead. */
export type QuestionHandlers = {
  readonly [K in QuestionKind]?: QuestionHandler<QuestionParams<K>, QuestionResult<K>>;
};

type QuestionHandler<Params, Result = object> = (
  params: Params,
  /** Aborts when the question needs no answer any more. */
  options: { readonly signal: AbortSignal },
) => Promise<Result>;

type Reply = (message: Readonly<Record<string, unknown>>) => void;

const FAILED = -32_000;

/** Requests of the host that this client is answering. */
export class ServerRequests {
  readonly #handlers: QuestionHandlers;
  readonly #open = new Map<string, AbortController>();

  constructor(handlers: QuestionHandlers) {
    this.#handlers = handlers;
  }

  /** There is anything that it answers. */
  get answers(): boolean {
    return Object.keys(this.#handlers).length > 0;
  }

  /** Answers a request, when somebody here can. */
  take(request: OpenRequest, reply: Reply): void {
    // It comes again with every connection; whoever answers it already goes on.
    if (this.#open.has(request.id)) return;
    const over = new AbortController();
    const answering = this.#answer(request, over.signal);
    if (answering === undefined) {
      const message = `This client does not answer ${request.method} as a request.`;
      return reply({ id: request.id, error: { code: METHOD_NOT_FOUND, message } });
    }
    this.#open.set(request.id, over);
    void answering
      .then(
        (result) => ({ result }),
        (thrown: unknown) => ({ error: { code: FAILED, message: String(thrown) } }),
      )
      .then((answer) => {
        if (!over.signal.aborted) reply({ id: request.id, ...answer });
        this.#open.delete(request.id);
      });
  }

  cancel(id: string): void {
    this.#open.get(id)?.abort();
  }

  #answer({ method, params }: OpenRequest, signal: AbortSignal): Promise<object> | undefined {
    // The handler of a kind takes the params of that kind; TypeScript cannot follow it through the index.
    const handler = this.#handlers[method] as QuestionHandler<QuestionParams<QuestionKind>> | undefined;
    return handler?.(params, { signal });
  }
}
