import { z } from "zod";
import { method, sessionMethod } from "./method.ts";
import { APPROVAL_CHOICES, ApprovalWire, OpenRequest } from "./question.ts";

const Answered = z.object({ status: z.enum(["ok", "expired"]) });
const request_id = z.string().min(1);

/** Answering what the host asks. Any connection may; the first valid answer counts. */
export const QUESTION_METHODS = {
  "clarify.respond": method({
    summary: "Answers a question of the model; an empty answer skips it.",
    params: z.object({ request_id, answer: z.string().default("") }),
    result: z.object({ status: z.literal("ok") }),
    wrong: { request_id: 4009 },
  }),
  "sudo.respond": method({
    summary: "Gives the password that a command needs; an empty one cancels.",
    params: z.object({ request_id, password: z.string().default("") }),
    result: Answered,
    wrong: { request_id: 4009 },
  }),
  "secret.respond": method({
    summary: "Gives the value of a variable; an empty one skips it.",
    params: z.object({ request_id, value: z.string().default("") }),
    result: Answered,
    wrong: { request_id: 4009 },
  }),
  "approval.respond": sessionMethod({
    summary: "Decides an approval: the named one, else the oldest, or all that are open.",
    params: z.object({
      session_id: z.string(),
      choice: z.enum(APPROVAL_CHOICES).default("deny"),
      scope: z.string().optional(),
      all: z.boolean().default(false),
      request_id: z.string().optional(),
      note: z.string().optional(),
      reason: z.string().optional(),
    }),
    result: z.object({ resolved: z.number() }),
    wrong: { choice: 4004 },
  }),
  "question.list": method({
    summary: "The questions that wait for somebody, of every session of the home, the oldest first.",
    params: z.object({ limit: z.int().min(1).max(1000).default(200) }),
    result: z.object({
      questions: z.array(
        z.object({
          session_id: z.string(),
          title: z.string(),
          source: z.string(),
          asked_at: z.number(),
          open: OpenRequest,
        }),
      ),
    }),
  }),
  "workspace.trust": sessionMethod({
    summary:
      "Says whether a session's folder is trusted: whether its AGENTS.md and skills are read from now on.",
    params: z.object({ session_id: z.string(), trusted: z.boolean() }),
    result: z.object({ folder: z.string(), trusted: z.boolean() }),
  }),
  "approval.pending": sessionMethod({
    summary: "The approvals that are open: of one session, or of all that are open in this process.",
    params: z.object({ session_id: z.string().optional() }),
    result: z.object({ pending: z.array(ApprovalWire.extend({ session_id: z.string() })) }),
  }),
} as const;
