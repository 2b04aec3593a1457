import type { ApprovalRequest } from "../../../core/index.ts";
import { sleep } from "../../../shared/async/clock.ts";
import type { HttpApp, HttpContext } from "../../server/context.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { HttpError } from "../../server/http-error.ts";
import { sseComment } from "../../server/encode-sse.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { isRunOver, type Run, type RunStatus } from "../../turns/runs.ts";
import type { ResponseStore } from "../responses/response-store.ts";
import { startRun } from "./create.ts";
import { encodeRun, RunEncoder, type RunFrames } from "./encode.ts";
import { type ApprovalAnswer, readApproval, readSteer } from "./request.ts";

const MOST_LISTED = 200;

export function runRoutes(app: HttpApp, api: ApiContext, responses: ResponseStore): void {
  const { runs } = api;
  const frames: RunFrames = new WeakMap();
  app.post("/v1/runs", (c) => startRun(c, api, responses));

  app.get("/v1/runs", async (c) => {
    const session = c.req.query("session_id") ?? "";
    if (session === "")
      throw new HttpError(400, "Missing 'session_id' in the query", { param: "session_id" });
    const found = await runs.of(session, MOST_LISTED);
    const shown = await Promise.all(found.map(async ({ runId }) => encodeRun(await runs.status(runId))));
    return c.json({ object: "list", data: shown });
  });

  app.get("/v1/runs/:run", async (c) => c.json(encodeRun(await runs.status(c.req.param("run")))));
  app.get("/v1/runs/:run/events", async (c) => await events(c, api, { runId: c.req.param("run"), frames }));

  app.post("/v1/runs/:run/stop", async (c) => {
    const status = await runs.status(c.req.param("run"));
    if (isRunOver(status.state)) return c.json(encodeRun(status));
    await runs.stop(status.run);
    return c.json({ run_id: status.run.runId, status: "stopping" });
  });

  app.post("/v1/runs/:run/approval", async (c) => {
    const approval = readApproval(await readJsonObject(c, api.settings));
    return await approve(c, api, { approval, status: await runs.status(c.req.param("run")) });
  });

  app.post("/v1/runs/:run/steer", async (c) => {
    const text = readSteer(await readJsonObject(c, api.settings));
    const { run, state } = await runs.status(c.req.param("run"));
    const session = await runs.sessionOf(run);
    const running = state === "running" || state === "waiting_for_approval";
    if (!running || !(await session.steer(text, { surface: "api", client: run.runId })))
      throw new HttpError(409, `Run ${run.runId} is ${state} and takes no text.`, {
        code: "run_not_accepting_steer",
      });
    return c.json({ object: "agent.run.steer", run_id: run.runId, accepted: true });
  });
}

async function events(
  c: HttpContext,
  api: ApiContext,
  { runId, frames }: { readonly runId: string; readonly frames: RunFrames },
): Promise<Response> {
  const { runs, turns, streams } = api;
  const from = cursorOf(c);
  const run = await early(c, api, runId);
  await runs.sessionOf(run);
  const { reasoning } = api.settings;
  const encoder = new RunEncoder(run, { status: () => runs.status(runId), reasoning, frames });
  async function* source(signal: AbortSignal): AsyncGenerator<string, void> {
    const begun = (turnId: string): void => encoder.begun(turnId);
    for await (const event of turns.events(run.ref, { signal, from, begun }))
      yield await encoder.event(event);
    if (!signal.aborted) yield sseComment("stream closed");
  }
  return streams.answer(c, source, { failed: () => sseComment("the events could not be read; come back") });
}

const EARLY_TRIES = 20;
const EARLY_MS = 50;

/** Whoever subscribes a moment before the run is there gets it all the same. */
async function early(c: HttpContext, { runs, host }: ApiContext, runId: string): Promise<Run> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runs.get(runId);
    } catch (thrown) {
      if (tries >= EARLY_TRIES || c.req.raw.signal.aborted) throw thrown;
      await sleep(host.services.clock, EARLY_MS, c.req.raw.signal);
    }
  }
}

/** The cursor that a reader has; a query wins over the header that browsers send by themselves. */
function cursorOf(c: HttpContext): number {
  const given =
    c.req.query("after") ??
    c.req.query("last_event_id") ??
    c.req.query("last_seq") ??
    c.req.header("last-event-id");
  if (given === undefined || given.trim() === "") return 0;
  if (/^\d{1,15}$/.test(given.trim())) return Number(given);
  throw new HttpError(400, "The cursor must be the number of an event that was received.", {
    code: "invalid_cursor",
    param: "after",
  });
}

async function approve(
  c: HttpContext,
  { runs }: ApiContext,
  { approval, status }: { readonly approval: ApprovalAnswer; readonly status: RunStatus },
): Promise<Response> {
  const { run, state, openApprovals } = status;
  const { runId } = run;
  if (isRunOver(state))
    throw new HttpError(409, `Run ${runId} is over (${state}) and asks nothing.`, {
      code: "approval_not_active",
    });
  const { requestId, all } = approval;
  const asked =
    requestId === undefined ? openApprovals : openApprovals.filter((open) => open.requestId === requestId);
  const answered = all ? asked : asked.slice(0, 1);
  if (answered.length === 0)
    throw new HttpError(409, `Run ${runId} has no such open approval.`, { code: "approval_not_pending" });
  const session = await runs.sessionOf(run);
  const choices = new Set<string>();
  for (const open of answered) {
    const choice = offered(open, approval.choice);
    choices.add(choice);
    await session.answer(open.requestId, { choice }, { surface: "api", client: runId });
  }
  return c.json({
    object: "agent.run.approval_response",
    run_id: runId,
    choice: choices.size === 1 ? [...choices][0] : approval.choice,
    resolved: answered.length,
    ...(answered.length === 1 ? { request_id: answered[0]?.requestId } : {}),
  });
}

/** What is not offered is given for the next shorter time that is. */
function offered(
  request: Pick<ApprovalRequest, "choices">,
  choice: ApprovalAnswer["choice"],
): ApprovalAnswer["choice"] {
  const { choices } = request;
  if (choice === "always" && !choices.includes("always")) return offered(request, "session");
  return choice === "session" && !choices.includes("session") ? "once" : choice;
}
