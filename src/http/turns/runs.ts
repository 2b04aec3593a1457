import type { ApprovalRequest, Host, Session, SessionEvent, StoredRecord } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { defined } from "../../shared/json/defined.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { HttpError } from "../server/http-error.ts";
import type { TurnAnswer } from "./turn-answer.ts";
import type { TurnRecord, Turns } from "./turns.ts";
import type { Receipt } from "./idempotency.ts";

/** A turn with an id of its own, which lives longer than the connection that began it. */
export interface Run extends Receipt {
  readonly runId: string;
  /** The session as the client named it, else the one that was chosen. */
  readonly session: string;
  readonly model: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Somebody asked to stop it. */
  readonly stopping?: boolean;
}

/** The state of a run, as clients are told it. */
export type RunState =
  | "queued"
  | "running"
  | "waiting_for_approval"
  | "stopping"
  | "completed"
  | "failed"
  | "cancelled"
  | "interrupted";

/** A run and its state now. */
export interface RunStatus {
  readonly run: Run;
  readonly state: RunState;
  readonly answer: TurnAnswer;
  readonly session: Session;
  /** The oldest open approval. */
  readonly approval?: ApprovalRequest;
  readonly openApprovals: readonly ApprovalRequest[];
}

const SPACE = "http.runs";
/** After its end. */
const KEPT_MS = 24 * 60 * 60_000;
/** Should nobody see its end. */
const LONGEST_MS = 30 * KEPT_MS;

/** The runs of a home: records that name turns. Everything else about a run is read from the log. */
export class Runs {
  /** The frames of events that were encoded already. Readers that keep up get the same events: each is encoded once. */
  readonly frames = new WeakMap<SessionEvent, string | Promise<string>>();
  readonly #host: Host;
  readonly #turns: Turns;

  constructor(host: Host, turns: Turns) {
    this.#host = host;
    this.#turns = turns;
  }

  newId(): string {
    return `run_${this.#host.services.hex(16)}`;
  }

  /** Makes the record that is kept with a run's turn. */
  record(run: Run): TurnRecord {
    const { clock, store } = this.#host.services;
    return {
      add: async () => void (await store.records.put(this.#draft(run))),
      remove: async () => void (await store.records.remove(SPACE, run.runId)),
      ended: () => store.records.renew(SPACE, run.runId, clock.now() + KEPT_MS),
    };
  }

  /** @throws HttpError 404 `run_not_found` */
  async get(runId: string): Promise<Run> {
    const record = await this.#host.services.store.records.get(SPACE, runId);
    if (record === undefined) throw runNotFound(runId);
    return parseRun(record);
  }

  /** The runs of a session, the newest first. */
  async of(sessionId: string, limit: number): Promise<readonly Run[]> {
    const { records } = this.#host.services.store;
    const found = await records.list({ space: SPACE, parent: sessionId, newestFirst: true, limit });
    return found.map(parseRun);
  }

  /** @throws HttpError 404 `run_not_found` */
  async status(runId: string): Promise<RunStatus> {
    const run = await this.get(runId);
    const found = await this.#turns.read(run.ref);
    if (found === undefined) throw runNotFound(runId);
    const { session, answer } = found;
    const { turn, queue, questions } = session.state;
    const { promptId } = run.ref;
    const openApprovals =
      turn?.prompt.id === promptId && answer.outcome === undefined
        ? questions.flatMap(({ request }) => (request.type === "approval.request" ? [request] : []))
        : [];
    const waits = queue.some(({ prompt }) => prompt.id === promptId);
    const [approval] = openApprovals;
    const state = stateOf(run, answer, { waits, asks: approval !== undefined });
    return { run, state, answer, session, openApprovals, ...defined({ approval }) };
  }

  /** Gives the session of a run, up to date also when the process that drove it has died. @throws HttpError 404 */
  async sessionOf({ runId, ref }: Run): Promise<Session> {
    const session = await this.#turns.session(ref);
    if (session === undefined) throw runNotFound(runId);
    return session;
  }

  /** Stops a run wherever it is; nothing happens when it is over. */
  async stop({ run, session }: Pick<RunStatus, "run" | "session">): Promise<void> {
    const { store, report } = this.#host.services;
    await store.records.put(this.#draft({ ...run, stopping: true }));
    const stopped = session.stop(run.ref.promptId, { surface: "api", client: run.runId });
    // The answer does not wait for the end of the turn.
    stopped.catch((thrown: unknown) => report(toHostError(thrown)));
  }

  #draft(run: Run) {
    const expiresAt = this.#host.services.clock.now() + LONGEST_MS;
    return { space: SPACE, key: run.runId, parent: run.ref.sessionId, value: JSON.stringify(run), expiresAt };
  }
}

const runNotFound = (runId: string): HttpError =>
  new HttpError(404, `Run not found: ${runId}`, { code: "run_not_found" });

/** Whether a state is final. */
export const isRunOver = (state: RunState): boolean =>
  state === "completed" || state === "failed" || state === "cancelled" || state === "interrupted";

function stateOf(
  run: Run,
  { outcome, finish, turnId }: TurnAnswer,
  { waits, asks }: { readonly waits: boolean; readonly asks: boolean },
): RunState {
  if (outcome === "completed") return finish === "length" ? "failed" : "completed";
  if (outcome === "interrupted" && run.stopping === true) return "cancelled";
  if (outcome !== undefined) return outcome;
  if (run.stopping === true) return "stopping";
  if (asks) return "waiting_for_approval";
  return waits || turnId === undefined ? "queued" : "running";
}

function parseRun({ key, value }: StoredRecord): Run {
  const run: unknown = JSON.parse(value);
  if (!isJsonObject(run) || !isJsonObject(run["ref"])) throw runNotFound(key);
  // Only this file writes this space.
  return run as unknown as Run;
}
