import { modelOf } from "../../encode/session-info.ts";
import { seconds } from "../../encode/time.ts";
import { displaySettings } from "../../gateway/display.ts";
import { skinNamed, skinNames } from "../../gateway/skins.ts";
import { paramError } from "../handler.ts";
import { DISPLAY_SETTINGS } from "./display-settings.ts";
import { MODEL_SETTING } from "./model-setting.ts";
import { APPROVAL_MODE, CWD, FAST, MODE, PERSONALITY, PROMPT, REASONING, YOLO } from "./session-settings.ts";
import { refuse, type Setting } from "./setting.ts";

const SKIN: Setting = {
  get({ gateway }) {
    const config = gateway.ports.config.values();
    const choices = [...skinNames(config)];
    const value = displaySettings(config).skin || skinNamed({}, "").name;
    return { value, choices, skins: choices.map((name) => skinNamed(config, name)) };
  },
  async set(given, { gateway }) {
    const name = given.trim();
    const known = skinNames(gateway.ports.config.values());
    if (!known.includes(name)) refuse("skin", given, known);
    await gateway.ports.config.change([[["display", "skin"], name]]);
    gateway.broadcast({ type: "skin.changed", payload: skinNamed(gateway.ports.config.values(), name) });
    return { value: name };
  },
};

/** The settings that can only be shown. */
const SHOWN_SETTINGS: Readonly<Record<string, Setting>> = {
  full: {
    get: ({ gateway: { ports } }) => ({ config: { ...ports.config.mask(ports.config.values()) } }),
  },
  mtime: { get: async ({ gateway }) => ({ mtime: seconds(await gateway.ports.config.refresh()) }) },
  profile: {
    get: ({ gateway: { ports } }) => ({ home: ports.about.home, display: ports.about.profile }),
  },
  project: {
    async get({ gateway, session }, { cwd }) {
      const folder = cwd ?? session?.state.cwd ?? gateway.newSessionCwd();
      return { cwd: folder, branch: await gateway.ports.files.branch(folder) };
    },
  },
  provider: {
    async get({ gateway, session, signal }) {
      const { model } = modelOf(gateway, session?.state ?? { settings: {} });
      const listed = await gateway.host.services.models().list(signal);
      const providers = [...new Set(listed.map(({ provider }) => provider))];
      return { model: model?.name ?? "", provider: model?.provider ?? "", providers };
    },
  },
};

const SETTINGS: ReadonlyMap<string, Setting> = new Map(
  Object.entries({
    model: MODEL_SETTING,
    fast: FAST,
    approval_mode: APPROVAL_MODE,
    "approvals.mode": APPROVAL_MODE,
    yolo: YOLO,
    mode: MODE,
    reasoning: REASONING,
    cwd: CWD,
    "terminal.cwd": CWD,
    workdir: CWD,
    prompt: PROMPT,
    personality: PERSONALITY,
    skin: SKIN,
    ...DISPLAY_SETTINGS,
    ...SHOWN_SETTINGS,
  }),
);

/**
 * The setting of a key that can be shown, or set.
 *
 * @throws HostError `invalid_params` when there is none, with those that there are
 */
export function settingOf<Side extends "get" | "set">(key: string, side: Side): NonNullable<Setting[Side]> {
  const found = SETTINGS.get(key)?.[side];
  if (found !== undefined) return found;
  const known = [...SETTINGS].flatMap(([name, setting]) => (setting[side] === undefined ? [] : [name]));
  const message = `There is no setting ${JSON.stringify(key)} to ${side}. There are: ${known.join(", ")}.`;
  throw paramError("key", message);
}
