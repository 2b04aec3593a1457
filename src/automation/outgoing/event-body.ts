import { defined } from "../../shared/json/defined.ts";
import type { EventSession, OutgoingEvent, OutgoingFacts } from "./outgoing-event.ts";

const LONGEST_TEXT = 20_000;

/** Writes an event as it is sent. Every try sends the same bytes. @param text - what was said, for addresses that ask for it */
export function eventBody(event: OutgoingEvent, text?: string): string {
  const { type, at } = event;
  const said = text?.slice(0, LONGEST_TEXT).toWellFormed();
  return JSON.stringify({
    type,
    timestamp: new Date(at).toISOString(),
    data: { event_id: event.id, ...dataOf(event), ...defined({ text: said }) },
  });
}

function dataOf(event: OutgoingFacts): Readonly<Record<string, unknown>> {
  switch (event.type) {
    case "session.started":
      return { ...sessionData(event.session), ...defined({ parent_id: event.parentId }) };
    case "turn.completed":
    case "budget.exceeded":
      return { ...sessionData(event.session), turn_id: event.turnId };
    case "turn.failed":
      return {
        ...sessionData(event.session),
        turn_id: event.turnId,
        outcome: event.outcome,
        ...defined({ code: event.code }),
      };
    case "question.asked":
      return questionData(event);
    case "question.answered":
      return { ...questionData(event), outcome: event.outcome };
    case "job.failed": {
      const { jobId: job_id, jobName: job_name, runId: run_id, sessionId: session_id } = event;
      return { job_id, job_name, run_id, ...defined({ session_id }) };
    }
    case "delivery.failed":
      return { delivery_id: event.deliveryId, target: event.target, source: event.source };
    case "connector.down":
    case "connector.up":
      return { platform: event.platform, title: event.title };
    case "user.signed_in":
      return { user: event.user };
    case "update.available":
      return { installed: event.installed, version: event.version };
    case "webhook.test":
      return {};
  }
}

const sessionData = ({ id, title, platform }: EventSession) => ({
  session_id: id,
  session_title: title,
  platform,
});

const questionData = ({
  session,
  turnId,
  requestId,
  kind,
}: Extract<OutgoingFacts, { readonly requestId: string }>) => ({
  ...sessionData(session),
  turn_id: turnId,
  request_id: requestId,
  kind,
});
