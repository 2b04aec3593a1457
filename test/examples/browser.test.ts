import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { BrowserPage, findBrowser } from "../kit/browser.ts";
import { CommandStage } from "../kit/command.ts";
import { gatewayOn, KEY } from "./api-gateway.ts";

const program = findBrowser();

/** Serves the example's two files, as any web server would. */
async function serve() {
  const server = createServer((request, response) => {
    const name = request.url === "/browser.js" ? "browser.js" : "browser.html";
    const type = name.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": type });
    response.end(readFileSync(new URL(`../../examples/${name}`, import.meta.url)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const fill = (url: string): string => `
  const form = document.querySelector("form");
  Object.assign(form.elements.url, { value: ${JSON.stringify(url)} });
  Object.assign(form.elements.key, { value: ${JSON.stringify(KEY)} });
  Object.assign(form.elements.input, { value: "count to 5" });
  form.requestSubmit();`;

test("browser: in a real browser the page follows a run, and a page of another origin reads nothing", async ({
  skip,
}) => {
  if (program === undefined) return skip("There is no chromium on PATH.");
  using pages = await serve();
  await using stage = new CommandStage();
  const url = await gatewayOn(stage, pages.origin);
  await using page = await BrowserPage.open(program, `${pages.origin}/`);
  await page.shows("button", /^Run$/);
  await page.run(fill(url));
  expect(await page.shows("pre", /\[run\./)).toBe("1 2 3 4 5\n[run.completed]");
  await page.go(`${pages.other}/`);
  await page.shows("button", /^Run$/);
  const read = page.run(
    `fetch(${JSON.stringify(`${url}/models`)}).then(() => "read", (error) => error.name)`,
  );
  expect([await page.run("location.origin"), await read]).toEqual([pages.other, "TypeError"]);
});
