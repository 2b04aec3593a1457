import { HostError } from "../../shared/errors/host-error.ts";

const LONGEST_NAME = 200;

/** What joins the parts of letters and emoji stays; what is not seen, or turns the line around, does not. */
const unseen = (): RegExp =>
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Z}\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]+/gu;

/** @throws HostError `invalid_params` */
export function checkChatIdentity(identity: string): void {
  // `user:` names users themselves.
  if (/^(?!user:)[a-z_]+:\S{1,200}$/.test(identity)) return;
  throw new HostError(
    "invalid_params",
    `${JSON.stringify(identity.slice(0, 80))} is no chat identity. Write <platform>:<id>, such as telegram:42.`,
  );
}

/** A name as it is kept. @throws HostError `invalid_params` */
export function checkName(given: string): string {
  const name = given.replaceAll(unseen(), " ").trim();
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(name) && name.length <= LONGEST_NAME) return name;
  throw new HostError("invalid_params", `A user needs a name of 1 to ${LONGEST_NAME} characters.`);
}
