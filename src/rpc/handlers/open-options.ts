import {
  chosenModel,
  EFFORTS,
  EMPTY_STATE,
  type GivenMessage,
  type ModelRef,
  type Models,
  type OpenOptions,
  requireFastTier,
  type SettingsPatch,
  textPart,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Params } from "../protocol/methods.ts";
import { paramError } from "./handler.ts";
import { displaySettings } from "../gateway/display.ts";
import { ownPrompt } from "./settings/instructions.ts";

/** Reads the parameters of `session.create` as the core's options. */
export async function openOptions(
  params: Params<"session.create">,
  gateway: GatewayContext,
): Promise<OpenOptions> {
  const usual = gateway.newSessionCwd();
  const wanted = params.cwd === undefined ? undefined : await gateway.ports.files.look(params.cwd, usual);
  const { history, instructions } = givenMessages(params.messages);
  return {
    platform: "tui",
    source: params.source,
    cwd: wanted?.kind === "directory" ? wanted.path : usual,
    settings: await settingsOf(params, instructions, gateway),
    ...defined({
      id: params.session_id,
      title: params.title.trim() === "" ? undefined : params.title,
      parentId: params.parent_session_id,
      history: history.length === 0 ? undefined : history,
    }),
  };
}

/** @throws HostError `model_*` for a model that cannot be used */
async function settingsOf(
  { provider, model, reasoning_effort: reasoning, fast, mode }: Params<"session.create">,
  given: readonly string[],
  { host, ports }: GatewayContext,
): Promise<SettingsPatch> {
  const models = host.services.models();
  const chosen = await choiceOf(models, defined({ provider, model }));
  if (reasoning !== undefined && !EFFORTS.includes(reasoning)) {
    throw paramError("reasoning_effort", `reasoning_effort is one of ${EFFORTS.join(", ")}.`);
  }
  if (fast === true) requireFastTier(models, chosen);
  const config = ports.config.values();
  const { personality } = displaySettings(config);
  // A name of before, or of another program, is how clients look: it chooses nothing.
  const { personas } = host.services;
  if (personality !== "") await personas?.refresh?.({ id: "", state: EMPTY_STATE });
  const isThere = personas?.names().includes(personality) === true;
  const own = {
    instructions: [ownPrompt(config), ...given].filter((text) => text !== "").join("\n\n") || undefined,
    persona: isThere ? personality : undefined,
  };
  return { ...chosen, ...defined({ reasoning, fast: fast === true ? fast : undefined, mode, ...own }) };
}

/** @throws HostError `model_*` */
async function choiceOf(models: Models, { provider, model }: ModelRef): Promise<ModelRef> {
  if (provider === undefined && model === undefined) return {};
  if (provider === undefined && model !== undefined) {
    const chosen = await chosenModel(models, model);
    return { provider: chosen.provider, model: chosen.name };
  }
  const named = defined({ provider, model });
  models.resolve(named);
  return named;
}

/** The messages that a client says came before. */
interface Given {
  readonly history: readonly GivenMessage[];
  /** Those of the system: they are for the whole session, whoever reads its history. */
  readonly instructions: readonly string[];
}

/** Reads what came before; anything but text of a user, an assistant or the system is left out. */
function givenMessages(messages: readonly Readonly<Record<string, unknown>>[]): Given {
  const history: GivenMessage[] = [];
  const instructions: string[] = [];
  for (const { role, content, text = content } of messages) {
    if (typeof text !== "string" || text.trim() === "") continue;
    if (role === "system") instructions.push(text);
    if (role === "user") history.push({ role, parts: [textPart(text)] });
    if (role === "assistant") history.push({ role, text });
  }
  return { history, instructions };
}
