import type { CommandStage, RunningCommand } from "./command.ts";

/** The key of the API that a gateway of a test serves. */
export const GATEWAY_KEY = "a-good-long-key-0123";

/** Starts `agent gateway` on a free port, and gives its address once it serves. */
export async function startGateway(
  stage: CommandStage,
  flags: readonly string[] = [],
  options: { readonly node?: string } = {},
): Promise<{ readonly command: RunningCommand; readonly url: string }> {
  Object.assign(stage.env, {
    API_SERVER_ENABLED: "true",
    API_SERVER_KEY: GATEWAY_KEY,
    API_SERVER_PORT: "0",
  });
  const command = stage.start(["gateway", ...flags], options);
  return { command, url: await saidAddress(command, /API server on (http:\S+)\/v1/) };
}

/** Starts `agent gateway` where only webhooks are on, and gives their address once it serves. */
export async function startWebhooks(
  stage: CommandStage,
): Promise<{ readonly command: RunningCommand; readonly url: string }> {
  const command = stage.start(["gateway"]);
  return { command, url: await saidAddress(command, /webhook connector on (http:\S+)\/webhooks/) };
}

/** The address that a command says on its error output. Rejects with all that it said when it ends before. */
async function saidAddress({ child, end }: RunningCommand, address: RegExp): Promise<string> {
  return await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (text: string) => {
      said += text;
      const found = address.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void end.then(({ stderr }) => reject(new Error(stderr)));
  });
}
