import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionFolder } from "../../../src/app/config/terminal.ts";
import { postgresStore } from "../../../src/providers/store/postgres/postgres-store.ts";
import { readIdentity } from "../../../src/providers/store/index.ts";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";
import { testDatabase, testPostgres } from "../../kit/postgres/index.ts";

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

/** Makes a session by the API of a gateway, and gives its id. */
async function newSession(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${GATEWAY_KEY}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/api/sessions`, { method: "POST", headers, body: "{}" });
  const { session } = (await answer.json()) as { readonly session: { readonly id: string } };
  return session.id;
}

test.skipIf((await testPostgres()) === undefined)(
  "where machines share a database, a session belongs to one only if somebody chose its folder",
  async () => {
    await using database = await testDatabase();
    const shared = `store: { url: '${database.url}' }\n`;
    const made: string[] = [];
    for (const configured of [false, true]) {
      await using stage = new CommandStage();
      stage.configure(configured ? `${shared}terminal: { cwd: . }\n` : shared);
      made.push(await newSession((await startGateway(stage)).url));
    }
    await using store = await postgresStore({ url: database.url, identity: readIdentity(process.pid) });
    const homes = await Promise.all(made.map(async (id) => (await store.record(id))?.state.home));
    expect(homes.map((home) => home?.anywhere)).toEqual([true, undefined]);
    expect(homes[1]?.name).toBe(hostname());
  },
);

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
