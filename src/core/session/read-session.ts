import type { SessionEvent } from "../events/events.ts";
import { isQuestion } from "../events/question-events.ts";
import { type PageOptions, readEvents, type ReadOptions, readPages } from "../log/reader.ts";
import type { SessionActor } from "./session-actor.ts";

/** Reads a session's events for somebody who follows it: questions among them count as seen. */
export async function* readSession(
  actor: SessionActor,
  options: ReadOptions,
): AsyncGenerator<SessionEvent, void> {
  const leave = actor.follow();
  try {
    for await (const event of readEvents(actor.log, options)) {
      if (isQuestion(event)) actor.seen(event.requestId);
      yield event;
    }
  } finally {
    leave();
  }
}

/** Reads the events that are there already, a page at a time: a step for each of thousands would cost more than they do. */
export async function* readSessionPages(
  actor: SessionActor,
  options: PageOptions,
): AsyncGenerator<readonly SessionEvent[], void> {
  const leave = actor.follow();
  try {
    for await (const page of readPages(actor.log, options)) {
      for (const event of page) if (isQuestion(event)) actor.seen(event.requestId);
      yield page;
    }
  } finally {
    leave();
  }
}
