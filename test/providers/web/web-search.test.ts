import { describe, expect, test } from "vitest";
import { chooseEngine } from "../../../src/providers/web/index.ts";
import { pages, webStage, type WebStageOptions } from "./web-stage.ts";

const KEY = "key-0123456789";

/** Each engine, how it is configured, and an answer in its words. */
const ENGINES = [
  {
    name: "SearXNG",
    options: { search: { url: "/search-here" } },
    answer: {
      results: [
        { url: "https://a.test/", title: "A", content: "About a", publishedDate: "2026-01-02" },
        { url: "ftp://b" },
        7,
      ],
    },
  },
  {
    name: "Brave Search",
    options: { search: { provider: "brave", url: "" }, env: { BRAVE_SEARCH_API_KEY: KEY } },
    answer: {
      web: {
        results: [
          { url: "https://a.test/", title: "A", description: "About <strong>a</strong>", age: "2026-01-02" },
        ],
      },
    },
  },
  {
    name: "Tavily",
    options: { search: { provider: "tavily", url: "" }, env: { TAVILY_API_KEY: KEY } },
    answer: {
      results: [
        { url: "https://a.test/", title: "A", content: "About a", published_date: "2026-01-02", score: 0.9 },
      ],
    },
  },
] as const satisfies readonly { name: string; options: WebStageOptions; answer: unknown }[];

describe.each(ENGINES)("web_search with $name", ({ name, options, answer }) => {
  test("gives titles, addresses and texts, marked as strangers' words", async () => {
    await using at = await webStage((_request, response) => response.end(JSON.stringify(answer)), options);
    expect(at.toolset).toMatchObject({ configured: true });
    const { text, result } = await at.call("web_search", { query: "what & why", limit: 3 });
    expect(text).toContain("1. A\n   https://a.test/ (2026-01-02)\n   About a\n");
    expect(text).toContain(`source="${name}"`);
    expect(result.summary).toBe("1 result");
    expect(at.requests).toHaveLength(1);
  });

  test.each([
    [401, {}, /refused the search \(401\)/],
    [403, {}, /refused the search \(403\)/],
    [429, { "retry-after": "7" }, /too many searches \(429\)\. Try again in 7 s/],
    [500, {}, /has failed \(500\)\. Try again later/],
    [422, {}, /did not take the search \(422\)/],
  ] as const)("says what a %i means", async (status, headers, said) => {
    await using at = await webStage(
      (_request, response) => response.writeHead(status, headers).end(),
      options,
    );
    const { text, result } = await at.call("web_search", { query: "x" });
    expect(result.outcome).toBe("error");
    expect(text).toMatch(said);
    expect(text).not.toContain(KEY);
  });

  test("says so when the answer is a web page, broken, or something else", async () => {
    for (const [body, said] of [
      ["<!doctype html><p>log in", /a web page/],
      ['{"results": [', /no JSON/],
      ['{"results": 7, "web": {}}', /without a list of results/],
      ["[]", /without a list of results/],
    ] as const) {
      await using at = await webStage((_request, response) => response.end(body), options);
      expect((await at.call("web_search", { query: "x" })).text).toMatch(said);
    }
  });
});

describe("web_search", () => {
  test("asks each service as its documentation has it", async () => {
    const asked: unknown[] = [];
    for (const { options, answer } of ENGINES) {
      await using at = await webStage((request, response) => {
        let body = "";
        request.on("data", (piece: Buffer) => (body += piece.toString()));
        request.on("end", () => {
          const { method, url, headers } = request;
          asked.push([method, url, headers["x-subscription-token"] ?? headers.authorization, body]);
          response.end(JSON.stringify(answer));
        });
      }, options);
      await at.call("web_search", { query: "a b", limit: 2 });
    }
    expect(asked).toEqual([
      ["GET", "/search-here/search?q=a+b&format=json", undefined, ""],
      ["GET", "/res/v1/web/search?q=a+b&count=2", KEY, ""],
      ["POST", "/search", `Bearer ${KEY}`, '{"query":"a b","max_results":2}'],
    ]);
  });

  test("gives no more results than were asked for, each of bounded length", async () => {
    const results = Array.from({ length: 50 }, (_, index) => ({
      url: `https://${index}.test/`,
      title: "t".repeat(9999),
      content: "c".repeat(9999),
    }));
    await using at = await webStage(pages({ "/search?q=x&format=json": JSON.stringify({ results }) }), {
      search: { url: "/" },
    });
    const { text } = await at.call("web_search", { query: "x", limit: 20 });
    expect(text.match(/^\d+\. t/gm)).toHaveLength(20);
    expect(text.length).toBeLessThan(28_000);
    expect((await at.call("web_search", { query: "x", limit: 21 })).text).toMatch(/Invalid input/);
  });

  test("is not there without an engine, while reading is, and says what to do", async () => {
    await using at = await webStage(pages({}));
    expect(at.toolset).toMatchObject({
      configured: false,
      usable: ["web_read"],
      remedy: /web\.search\.url[^]*BRAVE_SEARCH_API_KEY/,
    });
    const none = {
      env: {},
      fetcherTo: () => {
        throw new Error("nothing is asked");
      },
    };

    function remedy(config: Parameters<typeof chooseEngine>[0], env: Record<string, string> = {}): string {
      const choice = chooseEngine(config, { ...none, env });
      return choice.engine === undefined ? choice.remedy : "";
    }
    expect(remedy({ provider: "searxng" })).toMatch(/web\.search\.url/);
    expect(remedy({ url: "localhost:8888" })).toMatch(/no http or https address/);
    expect(remedy({ provider: "brave", keyEnv: "MINE" })).toMatch(
      /the variable that web\.search\.key_env names/,
    );
    expect(remedy({ provider: "tavily" }, { TAVILY_API_KEY: " " })).toMatch(/TAVILY_API_KEY/);
    expect(remedy({ keyEnv: "MINE" }, { MINE: KEY })).toMatch(/not configured/);
  });
});
