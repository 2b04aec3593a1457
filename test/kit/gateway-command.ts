import type { CommandStage, RunningCommand } from "./command.ts";

/** The key of the API that a gateway of a test serves. */
export const GATEWAY_KEY = "a-good-long-key-0123";

/** Starts `agent gateway` on a free port, and gives its address once it serves. */
export async function startGateway(
  stage: CommandStage,
  flags: readonly string[] = [],
): Promise<{ readonly command: RunningCommand; readonly url: string }> {
  Object.assign(stage.env, {
    API_SERVER_ENABLED: "true",
    API_SERVER_KEY: GATEWAY_KEY,
    API_SERVER_PORT: "0",
  });
  const command = stage.start(["gateway", ...flags]);
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    command.child.stderr.on("data", (text: string) => {
      said += text;
      const found = /API server on (http:\S+)\/v1/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void command.end.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { command, url };
}
