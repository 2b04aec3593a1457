import childProcess from "node:child_process";

/** Runs a small program of the system to its end; gives what it printed, which it may have done although it failed. */
export function runSystemProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: string; readonly failed: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ stdout: string; failed: boolean }>();
  childProcess.execFile(file, [...args], { env }, (error, stdout) =>
    resolve({ stdout, failed: error !== null }),
  );
  return promise;
}
