import type { METHODS } from "../protocol/methods.ts";
import { ABSENT_HANDLERS } from "./absent.ts";
import { ATTACHMENT_HANDLERS } from "./attachments.ts";
import { COMMAND_HANDLERS } from "./commands.ts";
import { CONNECTION_HANDLERS } from "./connection.ts";
import { CONVERSATION_HANDLERS } from "./conversation.ts";
import type { HandlersOf } from "./handler.ts";
import { PROCESS_HANDLERS } from "./processes.ts";
import { PROMPT_HANDLERS } from "./prompts.ts";
import { QUESTION_HANDLERS } from "./questions.ts";
import { SESSION_HANDLERS } from "./sessions.ts";
import { SETTING_HANDLERS } from "./settings.ts";
import { SETUP_HANDLERS } from "./setup.ts";
import { SKILL_HANDLERS } from "./skills.ts";

/** The handler of every method; one that is missing is a type error. */
export const HANDLERS: HandlersOf<typeof METHODS> = {
  ...PROMPT_HANDLERS,
  ...SESSION_HANDLERS,
  ...CONVERSATION_HANDLERS,
  ...QUESTION_HANDLERS,
  ...SETTING_HANDLERS,
  ...SETUP_HANDLERS,
  ...SKILL_HANDLERS,
  ...COMMAND_HANDLERS,
  ...PROCESS_HANDLERS,
  ...ATTACHMENT_HANDLERS,
  ...CONNECTION_HANDLERS,
  ...ABSENT_HANDLERS,
};
