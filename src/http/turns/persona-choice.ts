import { type Host, NO_PERSONA, requirePersona } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { HttpContext } from "../server/context.ts";
import { badRequest, HttpError } from "../server/http-error.ts";

const PREFIX = "persona:";

/** The name under which a persona is listed as a model. */
export const modelOfPersona = (name: string): string => `${PREFIX}${name}`;

/** The persona that a model's name asks for; `undefined` for any other name. */
export const personaIn = (model: string): string | undefined =>
  model.startsWith(PREFIX) ? model.slice(PREFIX.length).trim() : undefined;

/** The personas that a host lists as models. */
export async function personaNames({ services: { personas } }: Host): Promise<readonly string[]> {
  await requirePersona(personas, NO_PERSONA);
  return personas?.names() ?? [];
}

/**
 * Reads the persona that a request asks for: the header wins over the field, and that over the model's name.
 *
 * @throws HttpError 404 `model_not_found` for a model's name, 400 `invalid_persona` for the others
 */
export async function personaOfRequest(
  c: HttpContext,
  { name, given }: { readonly name: string; readonly given: unknown },
  { services: { personas } }: Host,
): Promise<string | undefined> {
  const header = textIn(c.req.header("x-agent-persona"));
  const field = textIn(given);
  const asked = header ?? field ?? personaIn(name);
  if (asked === undefined) return undefined;
  try {
    await requirePersona(personas, asked);
    return asked;
  } catch (thrown) {
    const { message } = toHostError(thrown);
    if (header !== undefined) throw badRequest(message, "X-Agent-Persona", "invalid_persona");
    if (field !== undefined) throw badRequest(message, "persona", "invalid_persona");
    throw new HttpError(404, message, { code: "model_not_found", param: "model" });
  }
}

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
