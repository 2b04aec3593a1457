import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionFolder } from "../../../src/app/config/terminal.ts";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";

test.each([
  [undefined, "/started"],
  ["", "/started"],
  ["/srv/work", "/srv/work"],
  ["~/work", "/home/me/work"],
  ["~", "/home/me"],
  ["sub", "/started/sub"],
])("terminal.cwd %s is the folder %s", (cwd, folder) => {
  const config = { terminal: cwd === undefined ? {} : { cwd } };
  expect(sessionFolder({ config, env: { HOME: "/home/me" } }, "/started")).toBe(folder);
});

test("sessions of the API begin in the folder of terminal.cwd", async () => {
  await using stage = new CommandStage();
  const folder = join(stage.folder, "elsewhere");
  mkdirSync(folder);
  stage.configure(`terminal: { cwd: ${JSON.stringify(folder)} }\n`);
  const { url } = await startGateway(stage);
  const authorization = `Bearer ${GATEWAY_KEY}`;
  const headers = { authorization, "content-type": "application/json" };
  const post = async (path: string, body: object): Promise<unknown> =>
    await (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  const { session } = (await post("/api/sessions", {})) as { readonly session: { readonly id: string } };
  await post(`/api/sessions/${session.id}/chat`, { input: "hi" });
  const { stdout } = await stage.ask(["sessions", "list", "--json", "--source", "api_server"]);
  expect(JSON.parse(stdout)).toMatchObject([{ cwd: folder }]);
});
