import { HostError } from "../../shared/errors/host-error.ts";
import { deliverableText } from "./deliverable-text.ts";
import { splitMarkdown } from "./markdown/split.ts";
import { withPartsSent } from "./platform-sender.ts";

/**
 * A runner of the code host's command-line tool. @throws HostError `config_invalid` if the tool is missing,
 * `delivery_failed`
 */
export type RunTool = (args: readonly string[], signal: AbortSignal) => Promise<void>;

/** A comment has at most 65,536 characters, and an argument of a program 128 KB: a character may take three. */
const LONGEST = 40_000;

interface Comment {
  readonly text: string;
  readonly extra?: Readonly<Record<string, string>>;
  /** Parts of it that are there already. */
  readonly partsSent?: number;
}

/** Makes a sender of comments on a pull request of code host A, as the account that is signed in with `gh`. */
export function codeHostCommentSender(run: RunTool) {
  return {
    retryMs: [5000, 60_000],
    async send({ text, extra = {}, partsSent = 0 }: Comment, signal: AbortSignal): Promise<void> {
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
      for (const [index, part] of splitMarkdown(deliverableText(text), LONGEST).entries()) {
        if (index < partsSent) continue;
        await run(["pr", "comment", number, "--repo", repo, "--body", part], signal).catch(
          (thrown: unknown) => {
            throw withPartsSent(thrown, index);
          },
        );
      }
    },
  };
}
