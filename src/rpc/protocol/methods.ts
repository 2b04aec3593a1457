import type { z } from "zod";
import { ABSENT_METHODS } from "./absent.ts";
import { ROLLBACK_METHODS } from "./rollback.ts";
import { ATTACHMENT_METHODS } from "./attachments.ts";
import { COMMAND_METHODS } from "./commands.ts";
import { CONNECTION_METHODS } from "./connection.ts";
import { CONNECTOR_METHODS } from "./connectors.ts";
import { CONVERSATION_METHODS } from "./conversation.ts";
import type { Method } from "./method.ts";
import { PROCESS_METHODS } from "./processes.ts";
import { PROMPT_METHODS } from "./prompts.ts";
import { QUESTION_METHODS } from "./questions.ts";
import { SESSION_METHODS } from "./sessions.ts";
import { SETTING_METHODS } from "./settings.ts";
import { SETUP_METHODS } from "./setup.ts";
import { SKILL_METHODS } from "./skills.ts";
import { TIMELINE_METHODS } from "./timeline.ts";

/** Every method of the gateway, once. Types, checks, handlers, the client and the reference come from it. */
export const METHODS = {
  ...PROMPT_METHODS,
  ...SESSION_METHODS,
  ...CONVERSATION_METHODS,
  ...TIMELINE_METHODS,
  ...QUESTION_METHODS,
  ...SETTING_METHODS,
  ...SETUP_METHODS,
  ...SKILL_METHODS,
  ...CONNECTOR_METHODS,
  ...COMMAND_METHODS,
  ...PROCESS_METHODS,
  ...ATTACHMENT_METHODS,
  ...CONNECTION_METHODS,
  ...ABSENT_METHODS,
  ...ROLLBACK_METHODS,
} as const satisfies Record<string, Method>;

/** The names of all methods. */
export type MethodName = keyof typeof METHODS;

/** The parameters as handlers get them: checked, with defaults. */
export type Params<M extends MethodName> = z.output<(typeof METHODS)[M]["params"]>;

/** The parameters as callers give them. */
export type Input<M extends MethodName> = z.input<(typeof METHODS)[M]["params"]>;

/** The result of a method. */
export type Result<M extends MethodName> = z.output<(typeof METHODS)[M]["result"]>;

export const isMethod = (name: string): name is MethodName => Object.hasOwn(METHODS, name);
