import { execFile } from "node:child_process";
import { HostError } from "../../core/index.ts";

/** Runs the code host's command-line tool; tests bring their own. */
export type RunTool = (args: readonly string[], signal: AbortSignal) => Promise<void>;

const TIMEOUT_MS = 30_000;
const LONGEST = 65_000;

/** Comments on a pull request of code host A, as whoever is signed in there with `gh`. */
export function codeHostCommentSender(run: RunTool) {
  return {
    retryMs: [5000, 60_000],
    async send(
      { text, extra = {} }: { readonly text: string; readonly extra?: Readonly<Record<string, string>> },
      signal: AbortSignal,
    ): Promise<void> {
      const { repo = "", pr_number: number = "" } = extra;
      if (!/^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/.test(repo) || repo.startsWith("-")) {
        throw new HostError(
          "invalid_params",
          `deliver_extra.repo is ${JSON.stringify(repo.slice(0, 100))}: write owner/name.`,
        );
      }
      if (!/^[1-9]\d{0,9}$/.test(number)) {
        throw new HostError(
          "invalid_params",
          `deliver_extra.pr_number is ${JSON.stringify(number.slice(0, 100))}: write a number.`,
        );
      }
      await run(["pr", "comment", number, "--repo", repo, "--body", text.slice(0, LONGEST)], signal);
    },
  };
}

/** The real tool, found on the path of `env`. */
export const codeHostTool =
  (env: Readonly<Record<string, string | undefined>>): RunTool =>
  async (args, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    execFile(
      "gh",
      [...args],
      { timeout: TIMEOUT_MS, signal, env: { ...env, GH_PROMPT_DISABLED: "1" } },
      (error, _out, said) => {
        if (error === null) return resolve();
        const missing = error.code === "ENOENT";
        const why = missing
          ? "the command `gh` is not installed"
          : said.trim().split("\n")[0]?.slice(0, 300) || error.message;
        reject(
          new HostError(missing ? "config_invalid" : "delivery_failed", `code_host_comment: ${why}`, {
            cause: error,
          }),
        );
      },
    );
    await promise;
  };
