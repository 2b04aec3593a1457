import type { Model } from "../../../core/index.ts";
import { messagesDialect } from "./anthropic-messages/dialect.ts";
import type { ApiMode } from "../config/models-config.ts";
import { dialectModel } from "../stream/dialect-model.ts";
import { chatDialect } from "./openai-chat/dialect.ts";
import { responsesDialect } from "./openai-responses/dialect.ts";
import type { ModelServices, ModelSettings } from "./model-settings.ts";

type MakeModel = (settings: ModelSettings, services: ModelServices) => Model;

/** Who makes the models of a dialect: another one is its folder, and a line here. */
export const DIALECTS: Readonly<Record<ApiMode, MakeModel>> = {
  chat_completions: (settings, services) => dialectModel(chatDialect, settings, services),
  responses_api: (settings, services) => dialectModel(responsesDialect, settings, services),
  messages_api: (settings, services) => dialectModel(messagesDialect, settings, services),
};
