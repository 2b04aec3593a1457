import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { findLocalServers, LOCAL_SERVER_ADDRESSES } from "../../../../src/providers/models/index.ts";
import { handClock } from "../../../kit/clock.ts";
import { refusingUrl, startModelServer } from "../../../kit/model-server/index.ts";

const signal = new AbortController().signal;

test("the default addresses are the usual ones", () => {
  expect(LOCAL_SERVER_ADDRESSES).toEqual([
    "http://localhost:11434",
    "http://localhost:1234",
    "http://localhost:8080",
    "http://127.0.0.1:8000",
  ]);
});

test("servers that list models are found, with what they say of them; all else is not", async () => {
  const body = JSON.stringify({
    data: [
      { id: "a", max_model_len: 32_768 },
      { id: "b", meta: { n_ctx_train: 8192 } },
      { name: "c" },
      { id: 7 },
      null,
    ],
  });
  await using one = await startModelServer({ models: ["test-model"] });
  await using two = await serve((path) => (path === "/v1/models" ? body : ""));
  await using page = await serve(() => "<html></html>");
  const down = (await refusingUrl()).replace("/v1", "");
  const found = await findLocalServers({
    clock: systemClock,
    signal,
    timeoutMs: 120_000,
    addresses: [one.url, down, page.url, two.url, "nonsense"],
  });
  expect(found).toEqual([
    { baseUrl: `${one.url}/v1`, models: [{ id: "test-model" }] },
    {
      baseUrl: `${two.url}/v1`,
      models: [{ id: "a", contextLength: 32_768 }, { id: "b", contextLength: 8192 }, { id: "c" }],
    },
  ]);
});

test("a server that keeps silent is given half a second", async () => {
  const asked = Promise.withResolvers<void>();
  await using silent = await serve(() => {
    asked.resolve();
    return undefined;
  });
  const clock = handClock();
  const finding = findLocalServers({ clock, signal, addresses: [silent.url] });
  await asked.promise;
  clock.advance(499);
  expect(clock.pending()).toHaveLength(1);
  clock.advance(1);
  expect(await finding).toEqual([]);
});

test("a server that never stops listing is none", async () => {
  await using endless = await serve(() => "x".repeat(2 * 2 ** 20));
  expect(
    await findLocalServers({ clock: systemClock, signal, timeoutMs: 120_000, addresses: [endless.url] }),
  ).toEqual([]);
});

/** Answers with a text, or not at all. */
async function serve(
  answer: (path: string) => string | undefined,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const body = answer(request.url ?? "");
    if (body !== undefined) response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // A server that listens on a port has an address with one.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
