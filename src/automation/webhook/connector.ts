import { Hono, type Context } from "hono";
import { toHostError } from "../../shared/errors/host-error.ts";
import { levelOf, type ServerLog } from "../../http/server/access-log.ts";
import type { HttpApp, HttpContext, HttpEnv } from "../../http/server/context.ts";
import { readRequestBody } from "../../http/server/body.ts";
import { HttpError } from "../../http/server/http-error.ts";
import { setHeaders } from "../../http/server/security-headers.ts";
import { BODY_MESSAGES } from "./body-messages.ts";
import { CallReceiver, type CallReceiverParts } from "./call-receiver.ts";

/** The parts of the webhook connector. */
export interface ConnectorOptions extends CallReceiverParts {
  readonly log: ServerLog;
  /** What takes the requests of a chat platform, by its name in the path; `undefined` where none does. */
  readonly chat?: (name: string) => ChatReceiver | undefined;
}

/** A receiver of a chat platform's requests, whose signature it checks on the bytes as they came. */
export type ChatReceiver = (request: {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}) => Promise<{ readonly status: number; readonly body?: string; readonly contentType?: string }>;

/** The webhook connector without a socket. */
export interface WebhookConnector {
  readonly app: HttpApp;
  /** Refuses calls from now on. */
  drain(): void;
}

/** Makes the app that takes other software's events. */
export function webhookConnector(options: ConnectorOptions): WebhookConnector {
  const { clock, log } = options;
  const app: HttpApp = new Hono<HttpEnv>();
  const calls = new CallReceiver(options);
  app.use("*", async (c, next) => {
    setHeaders(c);
    const started = clock.monotonic();
    await next();
    const { status } = c.res;
    log({
      event: "webhook.request",
      level: levelOf(status),
      peer: c.env?.incoming?.socket.remoteAddress,
      method: c.req.method,
      path: c.req.path,
      status,
      ms: Math.round(clock.monotonic() - started),
    });
  });
  app.get("/health", (c) => c.json({ status: "ok", platform: "webhook" }));
  app.on(["GET", "POST"], "/webhooks/:route", async (c, next) => {
    const receive = options.chat?.(c.req.param("route"));
    return receive === undefined ? await next() : await fromChat(c, receive, options);
  });
  app.post("/webhooks/:route", (c) => calls.take(c));
  app.all("/webhooks/:route", (c) =>
    c.json({ error: "Webhooks are sent with POST" }, 405, { allow: "POST" }),
  );
  app.notFound((c) => c.json({ error: "There is nothing here; webhooks go to /webhooks/<route>" }, 404));
  app.onError((thrown, c) => failure(thrown, c, options));
  return { app, drain: () => calls.drain() };
}

async function fromChat(
  c: HttpContext,
  receive: ChatReceiver,
  { settings }: ConnectorOptions,
): Promise<Response> {
  const body =
    c.req.method === "GET"
      ? new Uint8Array()
      : await readRequestBody(c, settings.maxBodyBytes, BODY_MESSAGES);
  const { method } = c.req;
  const answer = await receive({ method, headers: c.req.header(), query: c.req.query(), body });
  const headers = { "content-type": answer.contentType ?? "text/plain; charset=utf-8" };
  return new Response(answer.body ?? "", { status: answer.status, headers });
}

function failure(thrown: unknown, c: Context, { report }: ConnectorOptions): Response {
  if (thrown instanceof HttpError)
    return c.json({ error: thrown.message }, thrown.status, { ...thrown.details.headers });
  const error = toHostError(thrown);
  report(error);
  // Nothing was taken: the sender is to try again.
  const unavailable = error.code.startsWith("store_");
  return c.json(
    { error: unavailable ? "Not available at the moment" : "Internal error" },
    unavailable ? 503 : 500,
  );
}
