import { checkSessionId } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { HttpError } from "../server/http-error.ts";

/** Reads the id of a session that a client chose. @throws HttpError 400 naming the field or header */
export function readSessionId(id: string, param: string, code?: string): string {
  try {
    return checkSessionId(id.trim());
  } catch (cause) {
    throw new HttpError(400, toHostError(cause).message, { param, cause, ...defined({ code }) });
  }
}
