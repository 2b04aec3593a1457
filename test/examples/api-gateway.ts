import type { CommandStage } from "../kit/command.ts";

export const KEY = "good-for-a-few-programs";

/** Starts a gateway with the API server, for pages of one origin too; gives its address. */
export async function gatewayOn(stage: CommandStage, origin: string): Promise<string> {
  Object.assign(stage.env, {
    API_SERVER_ENABLED: "true",
    API_SERVER_KEY: KEY,
    API_SERVER_PORT: "0",
    API_SERVER_CORS_ORIGINS: origin,
  });
  const { child, end } = stage.start(["gateway"]);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  child.stderr.on("data", (text: string) => {
    said += text;
    const found = /API server on (http:\S+\/v1)/.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  });
  void end.then(({ stderr }) => reject(new Error(stderr)));
  return await promise;
}
