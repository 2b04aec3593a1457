import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { bareSocket } from "./bare-socket.ts";

const KEY = "a-key-for-this-test";

test("agent gateway serves the WebSocket on the API server's port, with the API key or its own token", async () => {
  await using stage = new CommandStage();
  Object.assign(stage.env, { API_SERVER_ENABLED: "true", API_SERVER_KEY: KEY, API_SERVER_PORT: "0" });
  Object.assign(stage.env, { AGENT_GATEWAY_TOKEN: "another-token-of-this" });
  const command = stage.start(["gateway"]);
  const shown = Promise.withResolvers<string>();
  command.child.stderr.on("data", (text: string) => {
    const url = /http:\S+(?=\/v1)/.exec(text)?.[0];
    if (url !== undefined) shown.resolve(url.replace("http", "ws"));
  });
  void command.end.then(({ stderr }) => shown.reject(new Error(stderr)));
  const url = await shown.promise;
  await expect(bareSocket(`${url}/api/ws`)).rejects.toThrow("401");
  await using withKey = await bareSocket(`${url}/api/ws`, { headers: { authorization: `Bearer ${KEY}` } });
  await using withToken = await bareSocket(`${url}/api/ws?token=another-token-of-this`);
  const { session_id: id } = await withKey.call("session.create", {});
  await withToken.call("session.resume", { session_id: id });
  await withKey.call("prompt.submit", { session_id: id, text: "count to 3" });
  await withToken.ended(id);
  expect(withToken.text(id)).toBe("1 2 3");
  command.child.kill("SIGTERM");
  expect(await withKey.closed).toMatchObject({ code: 1001 });
  expect(await command.end).toMatchObject({ code: 0 });
});
