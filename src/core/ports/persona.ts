import type { Persona } from "../events/persona.ts";
import type { SessionState } from "../state/state.ts";

/** A session as its persona is chosen for it. */
export interface PersonaSession {
  readonly id: string;
  readonly state: SessionState;
}

/** The personas of a home. */
export interface Personas {
  /** Those that can be chosen by name. */
  names(): readonly string[];
  /** The persona of a session's next turn; asked once a turn, when it begins. Quick, and it does not throw. */
  of(session: PersonaSession): Persona | undefined;
  /** Brings what `of` says up to date with other processes; it does not reject. */
  refresh?(session: PersonaSession): Promise<void>;
}

/** The value of a session's setting `persona` that wants none at all. */
export const NO_PERSONA = "none";

/** The choice of a session's model: its own, else its persona's. */
export function modelChoice({ settings, persona }: Pick<SessionState, "settings" | "persona">): {
  readonly provider?: string;
  readonly model?: string;
} {
  if (settings.provider !== undefined || settings.model !== undefined || persona?.model === undefined)
    return settings;
  const { provider, model } = persona;
  return { ...settings, model, ...(provider === undefined ? {} : { provider }) };
}
