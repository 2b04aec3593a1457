import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import { environmentProxies } from "../../../src/shared/net/proxies.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { guardedFetcher, guardedWeb } from "../../../src/providers/fetch/index.ts";
import { startProxy } from "../../kit/proxy.ts";
import { site } from "../../kit/site.ts";

const KNOWN: Readonly<Record<string, string>> = {
  "public.test": "93.184.216.34",
  "near.test": "127.0.0.1",
  "inside.test": "10.0.0.7",
};

/** What a machine behind a proxy finds out by itself: not much. */
async function resolve(hostname: string): Promise<readonly LookupAddress[]> {
  const address = KNOWN[hostname];
  if (address === undefined) throw new Error("ENOTFOUND");
  return [{ address, family: 4 }];
}

const limits = { maxBytes: 1000, timeoutMs: 120_000 };

describe("behind a proxy", () => {
  test("the public web is reached through it, also what this machine cannot resolve and the owner asks for", async () => {
    await using proxy = await startProxy();
    const proxies = environmentProxies({ HTTPS_PROXY: proxy.url });
    const fetcher = guardedFetcher({ clock: systemClock, resolve, proxies, unresolved: "proxy" });
    for (const name of ["public.test", "far.test"]) {
      const { bytes } = await fetcher.fetch({ url: `http://${name}/a?b`, ...limits });
      expect(new TextDecoder().decode(bytes)).toBe("through the proxy");
    }
    await expect(fetcher.fetch({ url: "https://far.test/", ...limits })).rejects.toMatchObject({
      code: "fetch_failed",
      message: expect.stringContaining("403"),
    });
    await using web = guardedWeb({ resolve, proxies, unresolved: "proxy" });
    expect(await (await web.fetch("http://far.test/stream")).text()).toBe("through the proxy");
    expect(proxy.asked).toEqual([
      "http://public.test/a?b",
      "http://far.test/a?b",
      "far.test:443",
      "http://far.test/stream",
    ]);
  });

  test("what is private stays out of reach, and what is allowed or excepted is reached directly", async () => {
    await using proxy = await startProxy();
    await using near = await site((_request, response) => void response.end("direct"));
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: "public.test" };
    const options = { clock: systemClock, resolve, proxies: environmentProxies(env) };
    const refused = { code: "fetch_refused" };
    for (const host of ["inside.test", "10.0.0.7", "169.254.169.254", "[::1]"]) {
      const asked = guardedFetcher(options).fetch({ url: `http://${host}/`, ...limits });
      await expect(asked, host).rejects.toMatchObject(refused);
    }
    const allowing = guardedFetcher({ ...options, allow: ["near.test"] });
    const { bytes } = await allowing.fetch({ url: `http://near.test:${near.port}/`, ...limits });
    expect(new TextDecoder().decode(bytes)).toBe("direct");
    const excepted = environmentProxies({ ...env, NO_PROXY: "far.test" });
    const unknown = guardedFetcher({ ...options, proxies: excepted });
    await expect(unknown.fetch({ url: "http://far.test/", ...limits })).rejects.toMatchObject(refused);
    expect(proxy.asked).toEqual([]);
  });

  const INNER = [
    "metadata.google.internal",
    "METADATA.google.internal.",
    "metadata",
    "instance-data.ec2.internal",
    "kubernetes.default.svc",
    "printer.local",
    "wiki.corp",
    "router.home.arpa",
  ];

  test.each([
    ["strangers", "refused", [...INNER, "far.test"]],
    ["the owner", "proxy", INNER],
  ] as const)("names that only it could look up are refused to %s", async (_who, unresolved, names) => {
    await using proxy = await startProxy();
    const proxies = environmentProxies({ HTTPS_PROXY: proxy.url });
    const options = { clock: systemClock, resolve, proxies, unresolved };
    await using web = guardedWeb(options);
    for (const name of names) {
      for (const url of [`http://${name}/`, `https://${name}/`]) {
        const asked = guardedFetcher(options).fetch({ url, ...limits });
        await expect(asked, url).rejects.toMatchObject({ code: "fetch_refused" });
        await expect(web.fetch(url), url).rejects.toMatchObject({ code: "fetch_refused" });
      }
    }
    expect(proxy.asked).toEqual([]);
  });

  test("names that the owner allows go to it, whoever asks", async () => {
    await using proxy = await startProxy();
    const proxies = environmentProxies({ HTTPS_PROXY: proxy.url });
    const fetcher = guardedFetcher({ clock: systemClock, resolve, proxies, allow: ["wiki.corp"] });
    await fetcher.fetch({ url: "http://wiki.corp/a", ...limits });
    await expect(fetcher.fetch({ url: "http://other.corp/a", ...limits })).rejects.toMatchObject({
      code: "fetch_refused",
    });
    expect(proxy.asked).toEqual(["http://wiki.corp/a"]);
  });
});
