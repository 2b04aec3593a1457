import type { ModelRef } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { modelOf } from "../../encode/session-info.ts";
import { paramError } from "../handler.ts";
import type { SettingContext, Setting } from "./setting.ts";

const SCOPES = { "--global": "global", "--session": "session", "--once": "once" } as const;

interface Wish {
  readonly ref: ModelRef;
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
    const wish = wishOf(value, asking);
    const { provider, name } = gateway.host.services.models().resolve(wish.ref);
    const scope = wish.scope ?? params.scope ?? (session === undefined ? "global" : "session");
    const chosen = { provider, model: name };
    if (scope === "global") {
      const { config } = gateway.ports;
      await config.change([
        [["model", "provider"], provider],
        [["model", "default"], name],
      ]);
      // A choice for all sessions is one for the session of the request too.
      await session?.set({ provider: null, model: null });
      gateway.showInfo();
    } else {
      if (session === undefined) throw new HostError("invalid_params", `--${scope} needs a session.`);
      if (scope === "once") restoreAfterTurn(asking);
      await session.set(chosen);
    }
    return { value: name, scope, warning: "", confirm_required: false, confirm_message: "" };
  },
};

/** Reads `<model> [--provider name] [--global|--session|--once]`; `--refresh` asks for what happens anyway. */
function wishOf(value: string, { gateway }: SettingContext): Wish {
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
  const ref = provider === undefined ? gateway.host.services.models().parse(name) : { provider, model: name };
  return { ref, scope };
}

/** The next turn's end puts back what is chosen now. */
function restoreAfterTurn({ session, opened }: SettingContext): void {
  if (opened === undefined || session === undefined || opened.afterTurn !== undefined) return;
  const { provider = null, model = null } = session.state.settings;
  opened.afterTurn = () => session.set({ provider, model });
}
