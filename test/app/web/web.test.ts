import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { callTool, reply, startModelServer } from "../../kit/model-server/index.ts";
import { site } from "../../kit/site.ts";

const PAGE = `<title>Bread</title><article><h1>Bread</h1><p>${"Knead for ten minutes. ".repeat(30)}</article>`;

test("a model searches with the configured engine and reads a page that the owner allows", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  await using web = await site(({ url = "" }, response) => {
    if (!url.startsWith("/search")) response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    else
      response.end(JSON.stringify({ results: [{ url: "https://bread.test/", title: "All about bread" }] }));
  });
  const base = `http://127.0.0.1:${web.port}`;
  const configured = (hosts: string): string => `model:
  provider: local
  base_url: ${server.baseUrl}
  default: test-model
web:
  private_hosts: [${hosts}]
  search: {url: "${base}"}
`;
  const calls = [callTool("web_search", { query: "bread" }), callTool("web_read", { url: `${base}/bread` })];
  stage.configure(configured(`"127.0.0.1:${web.port}"`));
  server.script(reply(calls), reply("Ten minutes."));
  expect(await stage.ask(["run", "How long?"])).toMatchObject({ code: 0, stdout: /Ten minutes/ });
  const told = server.requests.at(-1)?.text ?? "";
  expect(told).toContain("All about bread");
  expect(told).toContain("Knead for ten minutes.");

  stage.configure(configured(""));
  server.script(reply(calls), reply("I cannot read it."));
  await stage.ask(["run", "How long?"]);
  expect(server.requests.at(-1)?.text).toMatch(/is not fetched: it leads to a private address/);

  expect((await stage.ask(["doctor"])).stdout).toMatch(/ok\s+web\s+searches with SearXNG/);
  stage.configure("web: {search: {provider: brave}}\n");
  expect((await stage.ask(["doctor"])).stdout).toMatch(/FAIL\s+web\s+Put a key for brave into \.env/);
  stage.configure("web: {private_hosts: [10.0.0.0/99]}\n");
  expect(await stage.ask(["run", "hi"])).toMatchObject({
    code: 1,
    stderr: /web\.private_hosts\.0 in .* "10\.0\.0\.0\/99"/,
  });
});
