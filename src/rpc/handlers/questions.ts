import type { QuestionAnswer } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { approvalPayload, encodeOpenRequest } from "../encode/question.ts";
import { seconds } from "../encode/time.ts";
import type { QUESTION_METHODS } from "../protocol/questions.ts";
import type { HandlerContext, HandlersOf } from "./handler.ts";

export const QUESTION_HANDLERS: HandlersOf<typeof QUESTION_METHODS> = {
  async "clarify.respond"({ request_id, answer }, context) {
    await respond(context, request_id, { kind: "clarify", text: answer });
    return { status: "ok" };
  },

  async "sudo.respond"({ request_id, password }, context) {
    return { status: await unlessOver(respond(context, request_id, { kind: "sudo", text: password })) };
  },

  async "secret.respond"({ request_id, value }, context) {
    return { status: await unlessOver(respond(context, request_id, { kind: "secret", text: value })) };
  },

  async "approval.respond"(params, { gateway, connection }) {
    const { session_id, choice, scope, all, request_id, note, reason } = params;
    const session = await gateway.session(session_id);
    await session.refresh();
    const answer: QuestionAnswer = { choice, ...defined({ scope, text: note ?? reason }) };
    if (request_id !== undefined) {
      await session.answer(request_id, answer, connection.origin);
      return { resolved: 1 };
    }
    const open = session.questions().filter(({ request }) => request.type === "approval.request");
    const meant = all ? open : open.slice(0, 1);
    for (const { request } of meant) await session.answer(request.requestId, answer, connection.origin);
    return { resolved: meant.length };
  },

  async "question.list"({ limit }, { gateway }) {
    const asking = await gateway.host.list({ doing: "asking", includeHidden: true, limit, offset: 0 });
    const questions = asking.flatMap(({ id, state }) =>
      state.questions.map(({ request, askedAt }) => ({
        session_id: id,
        title: state.title,
        source: state.source,
        asked_at: seconds(askedAt),
        open: encodeOpenRequest(id, request, gateway.ports.diff),
      })),
    );
    return { questions: questions.toSorted((a, b) => a.asked_at - b.asked_at) };
  },

  async "workspace.trust"({ session_id, trusted }, { gateway }) {
    const { cwd } = (await gateway.session(session_id)).state;
    const { trust } = gateway.ports;
    if (trust === undefined || cwd === "")
      throw new HostError("not_found", "This session has no folder that could be trusted.");
    const folder = trust.leftOut(cwd)?.folder ?? cwd;
    await trust.decide(folder, trusted);
    gateway.showInfo();
    return { folder, trusted };
  },

  async "approval.pending"({ session_id }, { gateway }) {
    const sessions = session_id === undefined ? gateway.busyOrOpen() : [await gateway.session(session_id)];
    const pending = sessions.flatMap((session) =>
      session.questions().flatMap(({ request }) => {
        if (request.type !== "approval.request") return [];
        return [{ ...approvalPayload(request, gateway.ports.diff), session_id: session.id }];
      }),
    );
    return { pending };
  },
};

/** @throws HostError `question_not_pending` when there is no such question, or it is over */
async function respond(
  { gateway, connection }: HandlerContext,
  requestId: string,
  { kind, text }: { readonly kind: "clarify" | "sudo" | "secret"; readonly text: string },
): Promise<void> {
  const found = gateway.question(requestId);
  if (found === undefined || found.question.request.type !== `${kind}.request`) {
    throw new HostError(
      "question_not_pending",
      `No open ${kind} has the id ${requestId}: it was answered, is over, or never was.`,
    );
  }
  await found.session.answer(requestId, { text }, connection.origin);
}

/** Clients of this protocol expect a late password to be no error. */
async function unlessOver(answering: Promise<void>): Promise<"ok" | "expired"> {
  try {
    await answering;
    return "ok";
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code === "question_not_pending") return "expired";
    throw error;
  }
}
