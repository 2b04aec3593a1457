import { describe, expect, test } from "vitest";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { parseEndpoint } from "../../../../src/providers/models/config/parse-endpoint.ts";
import { isLocalHost } from "../../../../src/providers/models/endpoint/endpoint.ts";

describe("an address", () => {
  test.each([
    ["http://localhost:8080", "http://localhost:8080/v1"],
    ["http://localhost:8080/", "http://localhost:8080/v1"],
    ["http://localhost:8080/v1/", "http://localhost:8080/v1"],
    ["https://api.example.com/openai/v1", "https://api.example.com/openai/v1"],
    ["https://api.example.com/v1/chat/completions", "https://api.example.com/v1"],
    ["  https://API.example.com/V1 ", "https://api.example.com/V1"],
    ["https://api.example.com/v1#top", "https://api.example.com/v1"],
  ])("%s is used as %s", (address, baseUrl) => {
    expect(parseEndpoint(address, "model.base_url").baseUrl).toBe(baseUrl);
  });

  test("with a query (rule 3) gives it to every request, as it was", () => {
    const { baseUrl, query } = parseEndpoint(
      "https://x.example.com/openai/deployments/d?api-version=2024-10-21&a=b%20c",
      "model.base_url",
    );
    expect(baseUrl).toBe("https://x.example.com/openai/deployments/d");
    expect(query).toEqual({ "api-version": "2024-10-21", a: "b c" });
  });

  test.each([
    "",
    "localhost:8080",
    "ftp://x/v1",
    "file:///etc/passwd",
    "https://",
    "https://user:secret@x/v1",
  ])("%j is refused, and not repeated", (address) => {
    const parse = (): unknown => parseEndpoint(address, "model.base_url");
    expect(parse).toThrow(HostError);
    expect(parse).toThrow(
      expect.objectContaining({ code: "config_invalid", details: { subject: "model.base_url" } }) as Error,
    );
    expect(parse).not.toThrow(/secret|passwd/);
  });

  test.each([
    ["https://x.openai.azure.com/openai/v1", true],
    ["https://x.services.ai.azure.us/models", true],
    ["https://azure.com.example.org/v1", false],
    ["https://notazure.com/v1", false],
    ["https://eu.my-cloud.example/v1", true],
    ["https://my-cloud.example/v1", true],
  ])("%s of the cloud service: %s", (address, cloud) => {
    expect(parseEndpoint(address, "model.base_url", [".my-cloud.example"]).cloud).toBe(cloud);
  });
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["[::1]", true],
  ["[::ffff:7f00:1]", true],
  ["10.1.2.3", true],
  ["172.16.0.1", true],
  ["172.32.0.1", false],
  ["192.168.1.20", true],
  ["100.64.0.1", true],
  ["100.128.0.1", false],
  ["169.254.1.1", true],
  ["[fd00::1]", true],
  ["[fe80::1]", true],
  ["[2001:db8::1]", false],
  ["8.8.8.8", false],
  ["box.local", true],
  ["host.docker.internal", true],
  ["ollama", true],
  ["api.openai.com", false],
  ["localhost.example.com", false],
])("the host %s is local: %s", (hostname, local) => {
  expect(isLocalHost(hostname)).toBe(local);
});
