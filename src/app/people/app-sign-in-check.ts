import type { Roster } from "../../people/roster/index.ts";
import { counted } from "../../shared/text/counted.ts";

/** The reason why nobody can sign in at the members' app, with what helps; `undefined` where they can, or nobody may. */
export async function appSignInFault(
  roster: Pick<Roster, "list">,
  hasSms: boolean,
): Promise<string | undefined> {
  if (hasSms) return undefined;
  const mayCome = (await roster.list()).filter(
    ({ mobile, disabled }) => mobile !== undefined && disabled !== true,
  );
  if (mayCome.length === 0) return undefined;
  return `${counted(mayCome.length, "user")} with a mobile number cannot sign in at /app: codes go by text, and nothing sends any. Set platforms.sms (enabled, account_sid, from) in config.yaml and SMS_TOKEN in .env, and start again.`;
}
