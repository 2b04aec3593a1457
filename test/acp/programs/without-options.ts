/** The agent as a client sees it that is older than options: the arguments are its command, and no answer has options. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [, , command = "", ...args] = process.argv;
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(agent.stdin);
for await (const line of createInterface({ input: agent.stdout })) {
  const message = JSON.parse(line) as { result?: { configOptions?: unknown } | null };
  if (message.result?.configOptions !== undefined) delete message.result.configOptions;
  if (!line.includes('"config_option_update"')) process.stdout.write(`${JSON.stringify(message)}\n`);
}
