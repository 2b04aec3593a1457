import { HostError } from "../../shared/errors/host-error.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";
import type { Persona } from "../events/persona.ts";
import { EMPTY_STATE, type SessionState } from "../state/state.ts";

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

/**
 * Checks the name of a persona that somebody chooses.
 *
 * @throws HostError `invalid_params` when there is none of that name, with those that there are
 */
export async function requirePersona(personas: Personas | undefined, name: string): Promise<void> {
  await personas?.refresh?.({ id: "", state: EMPTY_STATE });
  if (name === NO_PERSONA) return;
  const known = personas?.names() ?? [];
  if (known.includes(name)) return;
  const near = nearestName(name, known);
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  const there =
    known.length === 0
      ? "none yet: `agent persona edit <name>` makes one"
      : known.slice(0, MOST_NAMED).join(", ");
  throw new HostError(
    "invalid_params",
    `There is no persona ${JSON.stringify(name.slice(0, MOST_SHOWN))}.${meant} There are ${there}.`,
    { details: { subject: "persona" } },
  );
}

const MOST_NAMED = 20;
const MOST_SHOWN = 80;

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
