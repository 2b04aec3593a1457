import { HostError } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import type { ApiMode } from "./config.ts";
import { chatModel } from "./openai-chat/chat-model.ts";
import type { ModelServices, ModelSettings } from "./settings.ts";

type MakeModel = (settings: ModelSettings, services: ModelServices) => Model;

/** The dialects that are spoken: another one is its folder beside `openai-chat`, and a line here. */
const DIALECTS: { readonly [Mode in ApiMode]?: MakeModel } = {
  chat_completions: chatModel,
};

/** @throws HostError `config_invalid` for a dialect that is not spoken */
export function makerOf(mode: ApiMode, about: { readonly model: string; readonly path: string }): MakeModel {
  const maker = DIALECTS[mode];
  if (maker !== undefined) return maker;
  throw new HostError(
    "config_invalid",
    `${about.model} is reached in api_mode ${mode}, which this version does not speak; it speaks ${Object.keys(DIALECTS).join(", ")}. Choose another model or endpoint in ${about.path}.`,
    { details: { subject: `${about.path}.api_mode` } },
  );
}
