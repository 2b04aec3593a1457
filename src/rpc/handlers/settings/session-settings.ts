import {
  EFFORTS,
  modeNamed,
  modeOf,
  nextMode,
  NO_PERSONA,
  type Session,
  SESSION_MODES,
  requireFastTier,
  requirePersona,
} from "../../../core/index.ts";
import { displaySettings } from "../../gateway/display.ts";
import { paramError } from "../handler.ts";
import { ownPrompt } from "./instructions.ts";
import { type SettingContext, refuse, type Setting, valueAt } from "./setting.ts";

const MODES = ["manual", "smart", "off"] as const;
const ON = ["on", "1", "true", "yes"];
const OFF = ["off", "0", "false", "no"];

/** Approvals for all sessions of this host. */
export const APPROVAL_MODE: Setting = {
  get: ({ gateway }) => ({ value: gateway.host.services.policy().approvals.mode }),
  async set(given, { gateway }) {
    const value = given.trim().toLowerCase();
    const mode = MODES.find((each) => each === value);
    if (mode === undefined) return refuse("approvals.mode", given, MODES);
    await gateway.ports.config.change([[["approvals", "mode"], mode]]);
    gateway.showInfo();
    return { key: "approvals.mode", value: mode };
  },
};

/** The mode of a session: `next` goes round, `default` is the owner's. */
export const MODE: Setting = {
  get: ({ gateway, session }) => ({
    value: modeOf(session?.state.settings ?? {}, gateway.host.services.policy().approvals),
  }),
  async set(given, { gateway, session }) {
    const { approvals } = gateway.host.services.policy();
    const chosen = needed(session, "mode");
    const word = given.trim().toLowerCase();
    const mode = word === "next" ? nextMode(modeOf(chosen.state.settings, approvals)) : modeNamed(word);
    if (mode === undefined && word !== "default")
      return refuse("mode", given, [...SESSION_MODES, "default", "next"]);
    await chosen.set({ mode: mode ?? null });
    return { value: modeOf(chosen.state.settings, approvals), scope: "session" };
  },
};

/** No approvals: for one session, or while this process runs. */
export const YOLO: Setting = {
  get: ({ gateway, session }) => ({
    value: bit(session === undefined ? bypassed(gateway) : session.state.settings.mode === "all"),
  }),
  async set(given, { gateway, session }, { scope }) {
    const value = given.trim().toLowerCase();
    const global = scope === "global" || session === undefined;
    const now = global ? bypassed(gateway) : session.state.settings.mode === "all";
    const toggles = value === "" || value === "toggle";
    if (!toggles && !ON.includes(value) && !OFF.includes(value))
      refuse("yolo", given, ["on", "off", "toggle"]);
    const on = toggles ? !now : ON.includes(value);
    if (global) {
      gateway.ports.config.bypassApprovals(on);
      gateway.showInfo();
    } else await session.set({ yolo: on });
    return { value: bit(on), scope: global ? "global" : "session" };
  },
};

const bypassed = ({ host }: SettingContext["gateway"]): boolean =>
  host.services.policy().approvals.mode === "off";
const bit = (on: boolean): string => (on ? "1" : "0");

const SHOWING: Readonly<
  Record<string, { readonly word: string; readonly at: string; readonly value: boolean }>
> = {
  show: { word: "show", at: "show_reasoning", value: true },
  on: { word: "show", at: "show_reasoning", value: true },
  hide: { word: "hide", at: "show_reasoning", value: false },
  off: { word: "hide", at: "show_reasoning", value: false },
  full: { word: "full", at: "reasoning_full", value: true },
  all: { word: "full", at: "reasoning_full", value: true },
  clamp: { word: "clamp", at: "reasoning_full", value: false },
  collapse: { word: "clamp", at: "reasoning_full", value: false },
  short: { word: "clamp", at: "reasoning_full", value: false },
};

/** The effort of the model's reasoning, and whether that is shown. */
export const REASONING: Setting = {
  get({ gateway, session }) {
    const shown = valueAt(gateway.ports.config.values(), ["display", "show_reasoning"]) === true;
    return { value: session?.state.settings.reasoning ?? "", display: shown ? "show" : "hide" };
  },
  async set(given, { gateway, session }) {
    const value = given.trim().toLowerCase();
    const showing = SHOWING[value];
    if (showing !== undefined) {
      await gateway.ports.config.change([[["display", showing.at], showing.value]]);
      return { value: showing.word };
    }
    const known = [...EFFORTS, "default"];
    if (!known.includes(value)) refuse("reasoning", given, [...known, ...Object.keys(SHOWING)]);
    await needed(session, "reasoning").set({ reasoning: value === "default" ? null : value });
    return { value, scope: "session" };
  },
};

const FAST_WORDS: Readonly<Record<string, "fast" | "normal" | "toggle" | "status">> = {
  fast: "fast",
  on: "fast",
  normal: "normal",
  off: "normal",
  toggle: "toggle",
  "": "toggle",
  status: "status",
};

/** The faster tier of the model's provider, for one session. */
export const FAST: Setting = {
  get: ({ session }) => ({ value: tierWord(session?.state.settings.fast) }),
  async set(given, { gateway, session }) {
    const word = FAST_WORDS[given.trim().toLowerCase()] ?? refuse("fast", given, Object.keys(FAST_WORDS));
    const now = session?.state.settings.fast === true;
    const fast = word === "toggle" ? !now : word === "status" ? now : word === "fast";
    if (fast === now) return { value: tierWord(fast) };
    const chosen = needed(session, "fast");
    if (fast) requireFastTier(gateway.host.services.models(), chosen.state.settings);
    await chosen.set({ fast: fast ? true : null });
    return { value: tierWord(fast), scope: "session" };
  },
};

const tierWord = (fast: boolean | undefined): string => (fast === true ? "fast" : "normal");

/** The folder that the session works in: from its next tool call on, and for new sessions. */
export const CWD: Setting = {
  get: async ({ gateway, session }) => {
    const cwd = session?.state.cwd ?? gateway.newSessionCwd();
    return { value: cwd, cwd, branch: await gateway.ports.files.branch(cwd) };
  },
  async set(given, { gateway, session }) {
    const from = session?.state.cwd ?? gateway.newSessionCwd();
    const found = await gateway.ports.files.look(given, from);
    if (found?.kind !== "directory") {
      throw paramError("value", `${given} is no folder here.`);
    }
    const cwd = found.path;
    if (session === undefined) await gateway.ports.config.change([[["terminal", "cwd"], cwd]]);
    else await session.set({ cwd, roots: [cwd] });
    return { key: "terminal.cwd", value: cwd, cwd, branch: await gateway.ports.files.branch(cwd) };
  },
};

/** The owner's own words for every new session. */
export const PROMPT: Setting = {
  get: ({ gateway }) => ({ prompt: ownPrompt(gateway.ports.config.values()) }),
  async set(given, asking) {
    const value = given.trim() === "clear" ? "" : given;
    await asking.gateway.ports.config.change([[["agent", "prompt"], value === "" ? undefined : value]]);
    await instruct(asking);
    return { value };
  },
};

/** The persona of the agent, by the name that clients know it by: that of the session, and of new ones. */
export const PERSONALITY: Setting = {
  get({ gateway, session }) {
    const own = session?.state.settings.persona ?? session?.state.persona?.name;
    return { value: own ?? (displaySettings(gateway.ports.config.values()).personality || NO_PERSONA) };
  },
  async set(given, { gateway, session }) {
    const { personas } = gateway.host.services;
    const value = given.trim();
    const word = value.toLowerCase();
    const isDefault = word === "" || word === "default";
    const persona = word === NO_PERSONA ? NO_PERSONA : value;
    if (!isDefault) await requirePersona(personas, persona);
    await session?.set({ persona: isDefault ? null : persona });
    const kept = isDefault || persona === NO_PERSONA ? undefined : persona;
    await gateway.ports.config.change([[["display", "personality"], kept]]);
    gateway.showInfo();
    return { value: isDefault ? NO_PERSONA : persona, history_reset: false };
  },
};

/** Brings the words of the configuration to a session that runs already. */
async function instruct({ gateway, session }: SettingContext): Promise<void> {
  await session?.set({ instructions: ownPrompt(gateway.ports.config.values()) || null });
}

function needed(session: Session | undefined, key: string): Session {
  if (session !== undefined) return session;
  throw paramError("session_id", `${key} is set on a session: name it in session_id.`);
}
