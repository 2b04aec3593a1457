import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { HostError } from "../../shared/errors/host-error.ts";
import { isAbsent, systemReason } from "./home.ts";

/**
 * Reads a file that people write; the mark that some editors put before UTF-8 is left out.
 *
 * @returns `undefined` when there is none
 * @throws HostError `config_invalid` when it cannot be read or is in another encoding, which a change would destroy
 */
export function readText(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw new HostError("config_invalid", `Cannot read ${path}: ${systemReason(cause)}.`, { cause });
  }
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  throw new HostError(
    "config_invalid",
    `${path} is not UTF-8 text. Save it in that encoding; some editors write UTF-16 or Latin-1.`,
  );
}
