import { HostError } from "../../shared/errors/host-error.ts";

/**
 * Gives a mobile number in its one form, E.164, from any spelling with its country code.
 *
 * @throws HostError `invalid_params`
 */
export async function mobileNumber(given: string): Promise<string> {
  const number = await parsedNumber(given);
  if (number !== undefined) return number;
  throw new HostError(
    "invalid_params",
    `${JSON.stringify(given.slice(0, 40))} is no mobile number. Write it with its country code, such as +49 151 23456789.`,
    { details: { subject: "mobile" } },
  );
}

/** As `mobileNumber`; `undefined` for what is none. */
export async function parsedNumber(given: string): Promise<string | undefined> {
  if (given.length > 40) return undefined;
  // A fifth of a megabyte of numbering plans: only for those who need it.
  const { parsePhoneNumberFromString } = await import("libphonenumber-js/min");
  const number = parsePhoneNumberFromString(given);
  return number?.isValid() === true ? number.number : undefined;
}
