import { runCalls } from "./calls.ts";
import { compressIfNeeded } from "./auto-compress.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { personName } from "../events/prompt.ts";
import { defined } from "../../shared/json/defined.ts";
import { prepareFilesSoon } from "./kept-files.ts";
import { processNote } from "../../shared/text/process-words.ts";
import { moveToOwnFolder } from "./own-folder.ts";
import { streamReply } from "./reply.ts";
import {
  type PendingEvent,
  type PendingReply,
  type TurnContext,
  type TurnStep,
  turnState,
  unfinishedCalls,
} from "./turn-context.ts";

/**
 * Runs a turn from where its log stands: replies and tools in turns, until the model asks for no more. Returns the
 * last reply, which the driver commits together with the end of the turn.
 *
 * @throws HostError when the turn fails
 */
export async function* runTurn(turn: TurnContext): AsyncGenerator<TurnStep, PendingReply> {
  const moved = moveToOwnFolder(turn.writer.plannedState, turn.services.machines);
  if (moved.length > 0) yield moved;
  const leaveFiles = prepareFilesSoon(turn);
  try {
    return yield* repliesAndCalls(turn);
  } finally {
    leaveFiles();
  }
}

async function* repliesAndCalls(turn: TurnContext): AsyncGenerator<TurnStep, PendingReply> {
  yield* runCalls(turn, unfinishedCalls(turnState(turn)));
  for (;;) {
    yield* deliverNews(turn);
    checkIterations(turn);
    // Budgets are looked up in the log, which may not have the start of this turn yet.
    if (turn.writer.plannedState.persona !== turn.log.state.persona) await turn.writer.settled();
    await turn.subagents.budget.admit(turn.log, turn.signal);
    const { user } = turn.writer.plannedState;
    const payer = { person: personName(turnState(turn).prompt), ...defined({ user }) };
    await turn.services.peopleBudgets?.admit(payer);
    const reply = yield* replyThatFits(turn);
    if (reply.calls.length > 0) {
      const calls = reply.calls.map((call) => ({ call, status: "waiting" as const, answers: [] }));
      yield* runCalls(turn, calls, reply);
    } else if (turnState(turn).steers.length === 0) return reply;
    else yield [reply];
  }
}

/** A reply; when the provider says that the request is too long, once more after compression. */
async function* replyThatFits(turn: TurnContext): AsyncGenerator<TurnStep, PendingReply> {
  yield* compressIfNeeded(turn, { overflowed: false });
  try {
    return yield* streamReply(turn);
  } catch (thrown) {
    const tooLong = thrown instanceof HostError && thrown.code === "provider_context_overflow";
    if (!tooLong || turn.writer.hasStreamedText) throw thrown;
  }
  yield* compressIfNeeded(turn, { overflowed: true });
  return yield* streamReply(turn);
}

/** Tells the model what came while the turn ran: words of people, and the ends of commands in the background. */
async function* deliverNews(turn: TurnContext): AsyncGenerator<TurnStep, void> {
  const { turnId } = turn;
  const { steers } = turnState(turn);
  const { untold } = turn.writer.plannedState;
  const batch: PendingEvent[] = [];
  if (untold.length > 0) {
    const processIds = untold.map(({ processId }) => processId);
    batch.push({ type: "process.told", turnId, processIds, text: untold.map(processNote).join("\n") });
  }
  if (steers.length > 0) {
    const text = steers.map((steer) => steer.text).join("\n\n");
    batch.push({ type: "steer.delivered", turnId, steerIds: steers.map(({ id }) => id), text });
  }
  if (batch.length > 0) yield batch;
}

function checkIterations(turn: TurnContext): void {
  const { replies, prompt } = turnState(turn);
  const owners = turn.services.policy().limits.iterations;
  const iterations = Math.min(owners, prompt.iterations ?? Infinity);
  if (replies < iterations) return;
  // A prompt's own limit is not the owner's to raise.
  const raise = iterations < owners ? "." : ", or raise limits.iterations in config.yaml.";
  throw new HostError(
    "limit_exceeded",
    `The turn used its ${iterations} model ${iterations === 1 ? "call" : "calls"}. Send a prompt to go on${raise}`,
    { details: { subject: "limits.iterations" } },
  );
}
