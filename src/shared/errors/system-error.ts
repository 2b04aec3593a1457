/** Reads the code of a system call's error, such as `ENOENT`; `undefined` when the error carries none. */
export function systemErrorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : undefined;
}
