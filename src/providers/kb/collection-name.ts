import { HostError } from "../../shared/errors/host-error.ts";
import { visibleInLine } from "../../shared/text/visible.ts";

const LONGEST_COLLECTION = 80;

/** The name of a collection as it is kept. @throws HostError `invalid_params` */
export function collectionName(given: string): string {
  const name = given.trim();
  if (name !== "" && name.length <= LONGEST_COLLECTION && !/\p{C}/u.test(name)) return name;
  throw new HostError(
    "invalid_params",
    `"${visibleInLine(name.slice(0, LONGEST_COLLECTION))}" is no name of a collection. Use 1 to ${LONGEST_COLLECTION} characters on one line.`,
  );
}
