import { once } from "node:events";
import { type AddressInfo, createServer, connect } from "node:net";
import { describe, expect, test } from "vitest";
import { imageSource } from "../../../src/app/web/image-source.ts";
import { isJsonObject } from "../../../src/shared/json/json.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { type Fetcher, guardedFetcher, guardedWeb } from "../../../src/providers/fetch/index.ts";
import { viewImageTool } from "../../../src/providers/tools/vision/view-image.ts";
import { chooseEngine, webToolset } from "../../../src/providers/web/index.ts";
import { stageWith } from "../../http/stage.ts";
import { times } from "../../kit/counts.ts";
import { PUBLIC, privateNames, privateSpellings } from "../../kit/private-spellings.ts";
import { say, scriptedModel } from "../../kit/scripted-model.ts";
import { site } from "../../kit/site.ts";
import { toolStage } from "../../kit/tool-context.ts";

/** A port of this machine, on every address that it has, that counts who comes. */
async function trap() {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket
      .on("error", () => undefined)
      .resume()
      .end("HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\nsecret");
  });
  server.listen(0, "::");
  await once(server, "listening");
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    visits: () => visits,
    [Symbol.asyncDispose]: async () => void (await once(server.close(), "close")),
  };
}

const guarded = (allow: readonly string[] = []): Fetcher =>
  guardedFetcher({ clock: systemClock, resolve: privateNames, allow });

const get = (url: string) => ({ url, maxBytes: 1000, timeoutMs: 120_000 });

/** Each way by which a stranger's address gets in; it gives what became of it. */
const ENTRIES: Readonly<Record<string, () => Promise<Entry>>> = {
  "a fetch": () => entry(async (url) => await codeOf(guarded().fetch(get(url)))),
  "a post, as callbacks are": () =>
    entry(async (url) => await codeOf(guarded().fetch({ ...get(url), method: "POST", body: "{}" }))),
  "a stream, as that of an MCP server": async () => {
    const web = guardedWeb({ resolve: privateNames });
    return {
      reach: async (url) => await codeOf(web.fetch(url)),
      [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
    };
  },
  web_read: () => {
    const search = chooseEngine({}, { env: {}, fetcherTo: () => guarded() });
    const tool = webToolset({ clock: systemClock, fetcherFor: () => guarded(), search }).tools[1];
    const stage = toolStage({ cwd: "/" });
    return entry(async (url) => (tool === undefined ? "" : (await stage.run(tool, { url })).text));
  },
  view_image: () => {
    const tool = viewImageTool({
      platform: "linux",
      apart: [],
      home: "/home/me",
      imagesFor: () => imageSource(guarded()),
    });
    const stage = toolStage({ cwd: "/" });
    return entry(async (url) => (await stage.run(tool, { url })).text);
  },
  "an image of a chat": () =>
    overHttp("/v1/chat/completions", (url) => ({
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    })),
  "an image of a response": () =>
    overHttp("/v1/responses", (url) => ({
      input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }],
    })),
  "a redirect": async () => {
    const targets: string[] = [];
    const server = await site(({ url = "" }, response) => {
      const target = Buffer.from(targets[Number(url.slice(1))] ?? "http://", "utf8").toString("latin1");
      response.writeHead(302, { location: target.replaceAll(/[\t\n]/g, "") }).end();
    });
    const start = `http://${PUBLIC}:${server.port}`;
    const fetcher = guarded([new URL(start).host]);
    return {
      reach: async (url) => await codeOf(fetcher.fetch(get(`${start}/${targets.push(url) - 1}`))),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

interface Entry extends AsyncDisposable {
  reach(url: string): Promise<string>;
}

const entry = (reach: Entry["reach"]): Promise<Entry> =>
  Promise.resolve({ reach, [Symbol.asyncDispose]: () => Promise.resolve() });

async function overHttp(path: string, body: (url: string) => unknown): Promise<Entry> {
  const stage = await stageWith(scriptedModel([say("I saw it.")]), { images: imageSource(guarded()) });
  return {
    async reach(url) {
      const answer: unknown = await (await stage.post(path, body(url))).json();
      return isJsonObject(answer) ? JSON.stringify(answer["error"]) : "";
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

async function codeOf(fetched: Promise<unknown>): Promise<string> {
  return await fetched.then(
    () => "reached",
    (thrown: unknown) => `${isJsonObject(thrown) ? String(thrown["code"]) : ""} ${String(thrown)}`,
  );
}

/** What every refusal says, in whatever words it is wrapped. */
const REFUSED = /is not fetched: |no address on the web|needs an http\(s\) address|Only images|no address\./;

describe("a private address", () => {
  test("could be reached by these spellings, were they not refused", async () => {
    await using open = await trap();
    for (const host of ["127.0.0.1", "::1", "localhost", "::ffff:127.0.0.1", "0.0.0.0"]) {
      const socket = connect(open.port, host);
      await once(socket, "connect");
      socket.destroy();
    }
    await expect.poll(open.visits).toBe(5);
    for (const url of privateSpellings(300, open.port).slice(0, 6))
      await guarded(["0.0.0.0/0", "::/0"])
        .fetch(get(url))
        .catch(() => undefined);
    expect(open.visits()).toBeGreaterThanOrEqual(10);
  });

  test.each(Object.entries(ENTRIES))("is not reached by %s, in any spelling", async (_name, make) => {
    await using open = await trap();
    await using way = await make();
    for (const url of privateSpellings(times(1000), open.port))
      expect(await way.reach(url), url).toMatch(REFUSED);
    expect(open.visits()).toBe(0);
  });

  test("is not reached when the network around is allowed but not this part of it", async () => {
    const own = ["localhost", "127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"];
    const fetcher = guarded(own);
    for (const host of [
      "169.254.169.254",
      "[::ffff:169.254.169.254]",
      "0xa9fea9fe",
      "metadata.meta.internal",
      "[fd00:ec2::254]",
      "unique.test",
      "168.63.129.16",
      "100.100.100.200",
    ])
      expect(await codeOf(fetcher.fetch(get(`http://${host}/`))), host).toMatch(REFUSED);
  });
});
