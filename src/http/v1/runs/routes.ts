import type { ApprovalRequest } from "../../../core/index.ts";
import { sleep } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import { type ApiRoute, route } from "../../server/api-route.ts";
import type { HttpContext } from "../../server/context.ts";
import { badRequest, HttpError } from "../../server/http-error.ts";
import { readJsonObject } from "../../server/json-body.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { isRunOver, type Run, type RunStatus } from "../../turns/runs.ts";
import { streamTurn } from "../../turns/stream-turn.ts";
import type { ConversationsContext } from "../conversations/conversation-store.ts";
import { createRun } from "./create.ts";
import { encodeRun, RunEncoder } from "./encode.ts";
import { type ApprovalAnswer, ApprovalBody, readApproval, readSteer, RunBody, SteerBody } from "./request.ts";

const MOST_LISTED = 200;

const ONE = "/v1/runs/{run_id}";

/** The routes of runs. */
export const RUN_ROUTES: readonly ApiRoute<ConversationsContext>[] = [
  route("POST /v1/runs", createRun, {
    id: "createRun",
    summary: "Begin a run",
    endpoint: "runs",
    body: RunBody,
    status: 202,
    starts: true,
  }),
  route("GET /v1/runs", list, {
    id: "listRuns",
    summary: "The runs of a session",
    endpoint: "run_list",
    query: ["session_id"],
  }),
  route(`GET ${ONE}`, async (c, { runs }, id) => c.json(encodeRun(await runs.status(id))), {
    id: "getRun",
    summary: "How a run stands",
    endpoint: "run_status",
  }),
  route(`GET ${ONE}/events`, streamEvents, {
    id: "streamRun",
    summary: "The events of a run, from any cursor",
    endpoint: "run_events",
    stream: "always",
    query: ["after"],
    headers: ["Last-Event-ID"],
  }),
  route(
    `POST ${ONE}/stop`,
    async (c, { runs }, id) => {
      const status = await runs.status(id);
      if (isRunOver(status.state)) return c.json(encodeRun(status));
      await runs.stop(status);
      return c.json({ run_id: id, status: "stopping" });
    },
    { id: "stopRun", summary: "Stop a run", endpoint: "run_stop" },
  ),
  route(`POST ${ONE}/approval`, approve, {
    id: "answerApproval",
    summary: "Answer an approval of a run",
    endpoint: "run_approval",
    body: ApprovalBody,
  }),
  route(`POST ${ONE}/steer`, steer, {
    id: "steerRun",
    summary: "Say something to the running agent",
    endpoint: "run_steer",
    body: SteerBody,
  }),
];

async function steer(c: HttpContext, { runs, settings }: ApiContext, runId: string): Promise<Response> {
  const text = readSteer(await readJsonObject(c, settings));
  const { state, session } = await runs.status(runId);
  const running = state === "running" || state === "waiting_for_approval";
  if (!running || !(await session.steer(text, { surface: "api", client: runId })))
    throw new HttpError(409, `Run ${runId} is ${state} and takes no text.`, {
      code: "run_not_accepting_steer",
    });
  return c.json({ object: "agent.run.steer", run_id: runId, accepted: true });
}

async function list(c: HttpContext, { runs }: ApiContext): Promise<Response> {
  const session = c.req.query("session_id") ?? "";
  if (session === "") throw badRequest("Missing 'session_id' in the query", "session_id");
  const found = await runs.of(session, MOST_LISTED);
  const data = await Promise.all(found.map(async ({ runId }) => encodeRun(await runs.status(runId))));
  return c.json({ object: "list", data });
}

async function streamEvents(c: HttpContext, api: ApiContext, runId: string): Promise<Response> {
  const { runs, settings } = api;
  const from = readCursor(c);
  const run = await awaitRun(c, api, runId);
  await runs.sessionOf(run);
  const status = (): Promise<RunStatus> => runs.status(runId);
  const encoder = new RunEncoder(run, { status, reasoning: settings.reasoning, frames: runs.frames });
  return streamTurn(c, api, { ref: run.ref, encoder, from });
}

const EARLY_TRIES = 20;
const EARLY_MS = 50;

/** Gives a run, also to a client that subscribes a moment before the run is recorded. */
async function awaitRun(c: HttpContext, { runs, host }: ApiContext, runId: string): Promise<Run> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runs.get(runId);
    } catch (thrown) {
      if (tries >= EARLY_TRIES || c.req.raw.signal.aborted) throw thrown;
      await sleep(host.services.clock, EARLY_MS, c.req.raw.signal);
    }
  }
}

/** Reads the cursor of a reader; the query wins over the header that browsers send by themselves. */
function readCursor(c: HttpContext): number {
  const given =
    c.req.query("after") ??
    c.req.query("last_event_id") ??
    c.req.query("last_seq") ??
    c.req.header("last-event-id");
  if (given === undefined || given.trim() === "") return 0;
  if (/^\d{1,15}$/.test(given.trim())) return Number(given);
  throw badRequest("The cursor must be the number of an event that was received.", "after", "invalid_cursor");
}

async function approve(c: HttpContext, { runs, settings }: ApiContext, runId: string): Promise<Response> {
  const approval = readApproval(await readJsonObject(c, settings));
  const { state, openApprovals, session } = await runs.status(runId);
  if (isRunOver(state))
    throw new HttpError(409, `Run ${runId} is over (${state}) and asks nothing.`, {
      code: "approval_not_active",
    });
  const { requestId, all } = approval;
  const asked =
    requestId === undefined ? openApprovals : openApprovals.filter((open) => open.requestId === requestId);
  const answered = all ? asked : asked.slice(0, 1);
  if (answered.length === 0) throw notPending(runId);
  let resolved = 0;
  const choices = new Set<string>();
  for (const open of answered) {
    const choice = offered(open, approval.choice);
    choices.add(choice);
    const { note, scope } = approval;
    const words = defined({ text: note === "" ? undefined : note, scope });
    await session
      .answer(open.requestId, { choice, ...words }, { surface: "api", client: runId })
      .then(() => (resolved += 1), unlessAnswered);
  }
  if (resolved === 0) throw notPending(runId);
  return c.json({
    object: "agent.run.approval_response",
    run_id: runId,
    choice: choices.size === 1 ? [...choices][0] : approval.choice,
    resolved,
    ...(answered.length === 1 ? { request_id: answered[0]?.requestId } : {}),
  });
}

const notPending = (runId: string): HttpError =>
  new HttpError(409, `Run ${runId} has no such open approval.`, { code: "approval_not_pending" });

/** Another client may have been faster. */
function unlessAnswered(thrown: unknown): void {
  if (!(thrown instanceof HostError) || thrown.code !== "question_not_pending") throw thrown;
}

/** Gives a choice that the request offers: the next shorter time if it does not offer the asked one. */
function offered(
  request: Pick<ApprovalRequest, "choices">,
  choice: ApprovalAnswer["choice"],
): ApprovalAnswer["choice"] {
  const { choices } = request;
  if (choice === "always" && !choices.includes("always")) return offered(request, "session");
  return choice === "session" && !choices.includes("session") ? "once" : choice;
}
