import { type AddressInfo, createServer as createTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/shared/async/clock.ts";
import {
  type FetcherOptions,
  type FetchRequest,
  guardedFetcher,
  type Resolve,
} from "../../../src/providers/fetch/index.ts";
import { handClock } from "../../kit/clock.ts";
import { site } from "../../kit/site.ts";

const loopback: Resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);

const fetcher = (options: Partial<FetcherOptions> = {}) =>
  guardedFetcher({ clock: systemClock, resolve: loopback, allow: ["good.test"], ...options });

const get = (url: string, more: Partial<FetchRequest> = {}): FetchRequest => ({
  url,
  maxBytes: 1000,
  timeoutMs: 120_000,
  ...more,
});

const refused = { name: "HostError", code: "fetch_refused" };
const failed = { name: "HostError", code: "fetch_failed" };

describe("a fetch", () => {
  test("gives what an allowed host answers, whatever the status", async () => {
    await using good = await site((_request, response) => {
      response.writeHead(404, { "content-type": "text/HTML; charset=utf-8" }).end("gone");
    });
    const fetched = await fetcher().fetch(get(`http://good.test:${good.port}/a?b=c`));
    expect(fetched).toMatchObject({
      status: 404,
      mediaType: "text/html",
      url: `http://good.test:${good.port}/a?b=c`,
    });
    expect(new TextDecoder().decode(fetched.bytes)).toBe("gone");
    expect(good.requests[0]).toMatchObject({ url: "/a?b=c", headers: { host: `good.test:${good.port}` } });
  });

  test("unpacks, and stops at the limit whatever is packed or announced", async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    await using good = await site(({ url }, response) => {
      if (url === "/small") response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("hello"));
      else if (url === "/bomb") response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
      else if (url === "/long") response.writeHead(200, { "content-length": 1001 }).end(Buffer.alloc(1001));
      else if (url === "/odd") response.writeHead(200, { "content-encoding": "zip" }).end("?");
      else response.writeHead(200).end(Buffer.alloc(1001));
    });
    const base = `http://good.test:${good.port}`;
    expect((await fetcher().fetch(get(`${base}/small`))).bytes.byteLength).toBe(5);
    for (const path of ["/bomb", "/long", "/stream", "/odd"])
      await expect(fetcher().fetch(get(base + path))).rejects.toMatchObject(failed);
  });

  test("reads only the types that were asked for", async () => {
    await using good = await site((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>");
    });
    const request = get(`http://good.test:${good.port}/`, { accept: (type) => type.startsWith("image/") });
    await expect(fetcher().fetch(request)).rejects.toMatchObject({ ...failed, message: /text\/html/ });
  });

  test("ends when its time is over or when it is stopped, also while a name is looked up", async () => {
    await using silent = await site(() => undefined);
    const clock = handClock();
    const asking = guardedFetcher({ clock, resolve: loopback, allow: ["good.test"] });
    const slow = asking.fetch(get(`http://good.test:${silent.port}/`, { timeoutMs: 20_000 }));
    await clock.untilPending();
    clock.advance(20_000);
    await expect(slow).rejects.toMatchObject({ ...failed, message: /longer than 20 s/ });
    const stop = new AbortController();
    const stopped = fetcher({ resolve: () => new Promise(() => undefined) }).fetch(
      get("http://good.test/", { signal: stop.signal }),
    );
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: "interrupted" });
    const never = fetcher().fetch(get("http://good.test/", { signal: AbortSignal.abort() }));
    await expect(never).rejects.toMatchObject({ code: "interrupted" });
  });

  test("says so when nobody listens or what comes is no HTTP", async () => {
    const server = createTcp((socket) => void socket.resume().end("SSH-2.0-hello\r\n"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await expect(fetcher().fetch(get(`http://good.test:${port}/?key=secret`))).rejects.toMatchObject(failed);
    await new Promise((resolve) => server.close(resolve));
    const message = await fetcher()
      .fetch(get(`http://good.test:${port}/path?key=secret`))
      .catch((error: Error) => error.message);
    expect(message).toContain(`http://good.test:${port}/path could not be fetched`);
    expect(message).not.toContain("secret");
  });
});

describe("a redirect", () => {
  test("is followed three times, each checked, and no further", async () => {
    await using good = await site(({ url = "" }, response) => {
      const left = Number(url.slice(1));
      if (left === 0) response.end("there");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const base = `http://good.test:${good.port}`;
    const asked: string[] = [];
    const counting = fetcher({
      resolve: (name) => {
        asked.push(name);
        return loopback(name);
      },
    });
    expect((await counting.fetch(get(`${base}/3`))).url).toBe(`${base}/0`);
    expect(asked).toHaveLength(4);
    await expect(fetcher().fetch(get(`${base}/4`))).rejects.toMatchObject(failed);
    expect((await fetcher().fetch(get(`${base}/4`, { redirects: 0 }))).status).toBe(302);
    expect((await fetcher().fetch(get(`${base}/4`, { method: "POST", body: "x" }))).status).toBe(302);
  });

  test("to a private host, another scheme or nowhere is refused", async () => {
    await using secret = await site((_request, response) => response.end("secret"));
    const targets = [
      `http://127.0.0.1:${secret.port}/`,
      `http://evil.test:${secret.port}/`,
      `//[::ffff:127.0.0.1]:${secret.port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "file:///etc/passwd",
      "gopher://good.test/",
      "http://user:pass@good.test/",
    ];
    await using good = await site(({ url = "" }, response) => {
      response.writeHead(302, { location: targets[Number(url.slice(1))] ?? "http://" }).end();
    });
    for (const index of targets.keys())
      await expect(fetcher().fetch(get(`http://good.test:${good.port}/${index}`))).rejects.toMatchObject(
        refused,
      );
    await expect(fetcher().fetch(get(`http://good.test:${good.port}/99`))).rejects.toMatchObject(failed);
    expect(secret.requests).toHaveLength(0);
  });

  test("to another host is followed only where the caller may go; on the same host always", async () => {
    await using other = await site((_request, response) => response.end("other"));
    await using good = await site(({ url = "" }, response) => {
      const to = url === "/away" ? `http://other.test:${other.port}/?q=secret` : "/away";
      response.writeHead(302, { location: to }).end();
    });
    const asked: string[] = [];
    const mayReach = (host: string): boolean => asked.push(host) === 0;
    const going = fetcher().fetch(get(`http://good.test:${good.port}/`, { mayReach }));
    await expect(going).rejects.toMatchObject(refused);
    await expect(going).rejects.toThrow(/leads to http:\/\/other\.test/);
    expect(asked).toEqual(["other.test"]);
    expect(other.requests).toHaveLength(0);
    const open = get(`http://good.test:${good.port}/`, { mayReach: () => true });
    expect((await fetcher({ allow: ["good.test", "other.test"] }).fetch(open)).url).toContain("other.test");
  });

  test("to another server takes no headers along that were meant for the first", async () => {
    await using other = await site((_request, response) => response.end());
    await using good = await site((_request, response) => {
      response.writeHead(307, { location: `http://good.test:${other.port}/` }).end();
    });
    await fetcher().fetch(
      get(`http://good.test:${good.port}/`, { headers: { authorization: "Bearer key" } }),
    );
    expect(good.requests[0]?.headers.authorization).toBe("Bearer key");
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe("a private address", () => {
  test("is not reached when a name changes its answer: what was checked is where the connection goes", async () => {
    await using sink = await site((_request, response) => response.end("secret"));
    let asked = 0;
    const flipping: Resolve = () => {
      asked += 1;
      // A public address first; nobody is asked again for the connection.
      return Promise.resolve([{ address: asked === 1 ? "203.0.114.1" : "127.0.0.1", family: 4 }]);
    };
    const stop = new AbortController();
    const fetching = fetcher({ resolve: flipping }).fetch(
      get(`http://flip.test:${sink.port}/`, { signal: stop.signal }),
    );
    setTimeout(() => stop.abort(), 50);
    await expect(fetching).rejects.toMatchObject({ name: "HostError" });
    expect(asked).toBe(1);
    expect(sink.requests).toHaveLength(0);
  });

  test("is refused when nobody can tell where a name leads", async () => {
    for (const resolve of [() => Promise.reject(new Error("SERVFAIL")), () => Promise.resolve([])])
      await expect(fetcher({ resolve }).fetch(get("http://good.test/"))).rejects.toMatchObject(refused);
  });

  test("is reached when the owner allows its name, its port, its address or its network", async () => {
    await using sink = await site((_request, response) => response.end("ok"));
    const { port } = sink;
    const reach = async (allow: readonly string[], url: string): Promise<boolean> =>
      await guardedFetcher({ clock: systemClock, resolve: loopback, allow })
        .fetch(get(url))
        .then(() => true)
        .catch(() => false);
    expect(await reach([`nas.test:${port}`], `http://nas.test:${port}/`)).toBe(true);
    expect(await reach(["nas.test:1"], `http://nas.test:${port}/`)).toBe(false);
    expect(await reach(["NAS.test"], `http://nas.test:${port}/`)).toBe(true);
    expect(await reach(["127.0.0.0/8"], `http://any.test:${port}/`)).toBe(true);
    expect(await reach(["127.0.0.1"], `http://127.0.0.1:${port}/`)).toBe(true);
    expect(await reach(["10.0.0.0/8", "::1", "fd00::/8"], `http://127.0.0.1:${port}/`)).toBe(false);
    for (const entry of ["10.0.0.0/99", "a b", "http://x", "", "x/y"])
      expect(() => guardedFetcher({ clock: systemClock, allow: [entry] }), entry).toThrow(
        /list of private hosts/,
      );
  });
});
