import { expect, test } from "vitest";
import { environmentProxies, proxyFor } from "../../../src/shared/net/proxies.ts";

const PROXY = "http://proxy.corp:8080";

test.each([
  ["https://example.com/", "", PROXY],
  ["https://example.com/", "*", undefined],
  ["https://example.com/", "example.com", undefined],
  ["https://www.example.com/", "example.com", undefined],
  ["https://www.example.com/", ".example.com", undefined],
  ["https://www.example.com/", "*.EXAMPLE.com", undefined],
  ["https://notexample.com/", "example.com", PROXY],
  ["https://example.com/", "other.com, example.com:443", undefined],
  ["https://example.com/", "example.com:8443", PROXY],
  ["https://example.com:8443/", "a example.com:8443", undefined],
  ["http://10.1.2.3/", "10.1.2.3", undefined],
  ["http://localhost:8080/", "", undefined],
  ["http://127.0.0.1:8080/", "", undefined],
  ["http://[::1]:8080/", "", undefined],
])("the way to %s with NO_PROXY=%j goes by %s", (url, none, way) => {
  const proxies = environmentProxies({ HTTPS_PROXY: "proxy.corp:8080", no_proxy: none });
  expect(proxyFor(new URL(url), proxies)).toBe(way);
});

test("each kind of address has its own proxy, small letters go first, and a bad one is named without its value", () => {
  const env = { http_proxy: "http://a:1", HTTP_PROXY: "http://b:1", HTTPS_PROXY: "https://user:word@c:1" };
  expect(environmentProxies(env)).toMatchObject({ http: "http://a:1", https: "https://user:word@c:1" });
  expect(environmentProxies({ HTTPS_PROXY: " " })).toMatchObject({ http: undefined, https: undefined });
  for (const wrong of ["ftp://user:word@c:1", "http://", "http://user:word@c:port"])
    expect(() => environmentProxies({ HTTPS_PROXY: wrong })).toThrow(
      expect.objectContaining({ message: "HTTPS_PROXY is no address of a proxy. Write http://host:port." }),
    );
});
