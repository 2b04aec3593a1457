import { randomBytes as opensslBytes } from "node:crypto";
import { closeSync, openSync, statSync } from "node:fs";
import { fill } from "../files/fill.ts";

/** The system's own source. */
const DEVICE = "/dev/urandom";

/** Reads random bytes from the system. Node's function for them loads OpenSSL, which takes 4 MB and some ms: only where there is no device. */
export function randomBytes(count: number): Buffer {
  const bytes = Buffer.allocUnsafe(count);
  return readFrom(DEVICE, bytes) ? bytes : opensslBytes(count);
}

/** Fills bytes from a device; `false` where there is none, or it gives less. A file in its place would give everybody the same. */
export function readFrom(device: string, bytes: Buffer): boolean {
  let file: number | undefined;
  try {
    if (!statSync(device).isCharacterDevice()) return false;
    file = openSync(device, "r");
    return fill(file, bytes, null) === bytes.length;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
