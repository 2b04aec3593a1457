import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { RunTool } from "../../providers/delivery/index.ts";
import { type RunEnd, runToEnd, type Spawner } from "../../providers/tools/index.ts";

const TIMEOUT_MS = 30_000;
const LONGEST_REASON = 300;

/** The command `gh`, as it is signed in on this machine; of the keys in the environment it sees its own only. */
export function codeHostTool(
  tools: { readonly spawner: Spawner; readonly clock: Clock },
  env: Readonly<Record<string, string | undefined>>,
): RunTool {
  const own = Object.entries(defined(env)).filter(([name]) => /^(GH_|GITHUB_)/.test(name));
  return async (args, signal) => {
    const end = await runToEnd(tools, {
      file: "gh",
      args,
      cwd: "/",
      env: { ...Object.fromEntries(own), GH_PROMPT_DISABLED: "1" },
      label: "gh",
      timeoutMs: TIMEOUT_MS,
      keep: { head: 4 * LONGEST_REASON, tail: 0 },
      signal,
    }).catch((thrown: unknown) => {
      const { code, message } = toHostError(thrown);
      const fault = code === "tool_failed" ? "config_invalid" : "delivery_failed";
      throw new HostError(fault, `code_host_comment: ${message}`, { cause: thrown });
    });
    if (end.code !== 0) throw new HostError("delivery_failed", `code_host_comment: ${reasonOf(end)}`);
  };
}

function reasonOf({ code, stderr }: RunEnd): string {
  const [line = ""] = Buffer.from(stderr.ends().head).toString("utf8").trim().split("\n");
  return line.slice(0, LONGEST_REASON) || `gh ended with ${code}`;
}
