import type { SessionEvent } from "../events/events.ts";
import { isQuestion } from "../events/question-events.ts";
import { type PageOptions, readEvents, type ReadOptions, readPages, type Witness } from "../log/reader.ts";
import type { SessionActor } from "./session-actor.ts";

/** Reads a session's events for somebody who follows it: questions among them count as seen. */
export const readSession = (actor: SessionActor, options: ReadOptions): AsyncGenerator<SessionEvent, void> =>
  readEvents(actor.log, options, () => follower(actor));

/** Reads the events that are there already, a page at a time: a step for each of thousands would cost more than they do. */
export async function* readSessionPages(
  actor: SessionActor,
  options: PageOptions,
): AsyncGenerator<readonly SessionEvent[], void> {
  using witness = follower(actor);
  for await (const page of readPages(actor.log, options)) {
    for (const event of page) witness.event(event);
    yield page;
  }
}

function follower(actor: SessionActor): Witness {
  const leave = actor.follow();
  return {
    event: (event) => {
      if (isQuestion(event)) actor.seen(event.requestId);
    },
    [Symbol.dispose]: leave,
  };
}
