import { chosenModel } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { defaultChanges } from "../../../shared/json/default-model.ts";
import { modelOf } from "../../encode/session-info.ts";
import { paramError } from "../handler.ts";
import type { SettingContext, Setting } from "./setting.ts";

const SCOPES = { "--global": "global", "--session": "session", "--once": "once" } as const;

interface Wish {
  readonly model: string;
  readonly provider: string | undefined;
  readonly scope: (typeof SCOPES)[keyof typeof SCOPES] | undefined;
}

/** `model`: for the session, for its next turn only, or for all new sessions. */
export const MODEL_SETTING: Setting = {
  get: ({ gateway, session }) => {
    const { model } = modelOf(gateway, session?.state ?? { settings: {} });
    return model === undefined
      ? { value: "" }
      : { value: model.name, model: model.name, provider: model.provider };
  },
  async set(value, asking, params) {
    const { gateway, session } = asking;
    const wish = wishOf(value);
    const models = gateway.host.services.models();
    const { provider: given, model: wanted } = wish;
    const model =
      given === undefined
        ? await chosenModel(models, wanted)
        : models.resolve({ provider: given, model: wanted });
    const { provider, name } = model;
    const scope = wish.scope ?? params.scope ?? (session === undefined ? "global" : "session");
    const chosen = { provider, model: name };
    if (scope === "global") {
      const { config } = gateway.ports;
      const { model: block } = config.values();
      await config.change(defaultChanges(model, providerBefore(gateway, block), block));
      // A choice for all sessions is one for the session of the request too.
      await session?.set({ provider: null, model: null });
      gateway.showInfo();
    } else {
      if (session === undefined) throw paramError("session_id", `--${scope} needs a session.`);
      if (scope === "once") restoreAfterTurn(asking);
      await session.set(chosen);
    }
    return { value: name, scope, warning: "", confirm_required: false, confirm_message: "" };
  },
};

/** Reads `<model> [--provider name] [--global|--session|--once]`; `--refresh` asks for what happens anyway. */
function wishOf(value: string): Wish {
  const words = value.split(/\s+/).filter((word) => word !== "");
  let scope: Wish["scope"];
  let provider: string | undefined;
  const names: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "--global" || word === "--session" || word === "--once") scope = SCOPES[word];
    else if (word === "--provider") provider = words[(index += 1)];
    else if (word !== "--refresh") names.push(word);
  }
  const [name, more] = names;
  if (name === undefined || more !== undefined || name.startsWith("--")) {
    throw paramError(
      "value",
      "Name one model: `<model> [--provider name] [--global|--session|--once]`, or `provider:model`.",
    );
  }
  return { model: name, provider, scope };
}

/** The provider of sessions that name none; by its name also when its model cannot be used. */
function providerBefore({ host }: SettingContext["gateway"], block: unknown): string {
  const named = isJsonObject(block) ? block["provider"] : undefined;
  if (typeof named === "string") return named;
  try {
    return host.services.models().resolve({}).provider;
  } catch {
    return "local";
  }
}

/** The next turn's end puts back what is chosen now. */
function restoreAfterTurn({ session, opened }: SettingContext): void {
  if (opened === undefined || session === undefined || opened.afterTurn !== undefined) return;
  const { provider = null, model = null } = session.state.settings;
  opened.afterTurn = () => session.set({ provider, model });
}
