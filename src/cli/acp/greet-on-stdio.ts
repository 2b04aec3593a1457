import { greet } from "../../acp/greeting.ts";
import type { AcpTransport } from "../../acp/serve.ts";
import { packageVersion } from "../../app/process/version.ts";

/** Greets the editor on stdin and stdout. It is a program file of its own, so that nothing else is loaded before. */
export function greetOnStdio(): Promise<AcpTransport> {
  const { stdin: input, stdout } = process;
  // Later stdout is the protocol's alone: what is written there in any other way, as by a greeting that came late, is lost.
  const writeOut = stdout.write.bind(stdout);
  const write = (text: string): Promise<void> => new Promise((resolve) => writeOut(text, () => resolve()));
  const greeting = greet({ input, write }, { version: packageVersion() });
  // A failure to read is told to whoever serves the client.
  greeting.catch(() => undefined);
  return greeting;
}
