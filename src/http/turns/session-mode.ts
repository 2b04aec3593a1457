import { type Host, modeNamed, modeOf, type SessionMode, SESSION_MODES } from "../../core/index.ts";
import { badRequest, HttpError } from "../server/http-error.ts";

/** The modes, the strictest first. */
const STRICTNESS: readonly SessionMode[] = ["plan", "ask", "edits", "all"];

/**
 * Reads the mode that a request gives a session. A client may make a session stricter than the owner's approvals, and
 * not looser.
 *
 * @throws HttpError 400 `invalid_mode`, 403 `mode_not_allowed`
 */
export function readMode(given: unknown, { services }: Host): SessionMode | undefined {
  if (given === undefined || given === null || given === "") return undefined;
  const mode = typeof given === "string" ? modeNamed(given.trim().toLowerCase()) : undefined;
  if (mode === undefined)
    throw badRequest(`'mode' must be one of: ${SESSION_MODES.join(", ")}.`, "mode", "invalid_mode");
  const { approvals } = services.policy();
  const most = modeOf({}, approvals);
  if (STRICTNESS.indexOf(mode) <= STRICTNESS.indexOf(most)) return mode;
  throw new HttpError(
    403,
    `The mode '${mode}' asks less than approvals.mode (${approvals.mode}) of this server. The owner can change that.`,
    { code: "mode_not_allowed", param: "mode" },
  );
}
