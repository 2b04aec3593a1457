import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { describe, expect, test } from "vitest";
import { handClock } from "../../../kit/clock.ts";
import { NetworkGate } from "../../../../src/providers/tools/sandbox/network/gate.ts";
import { HostList } from "../../../../src/providers/tools/sandbox/network/host-list.ts";
import { hostProblem } from "../../../../src/providers/tools/sandbox/index.ts";
import { engine, stage, why } from "./sandbox-stage.ts";

const gateWith = (hosts: readonly string[], answers: Readonly<Record<string, string>> = {}) =>
  new NetworkGate({
    hosts: new HostList(hosts),
    clock: handClock(),
    resolve: (host) => Promise.resolve([{ address: answers[host] ?? "93.184.215.14", family: 4 }]),
  });

describe("the list of hosts", () => {
  test("takes names, stars, ports and addresses, and nothing else", () => {
    for (const entry of [
      "example.com",
      "*.example.com",
      "example.com:443",
      "127.0.0.1:80",
      "[::1]:80",
      "::1",
      "EXAMPLE.com.",
      "*.a-1.example.com",
      "my_files.example.com",
    ])
      expect([entry, hostProblem(entry)]).toEqual([entry, undefined]);
    for (const entry of [
      "",
      "*",
      "*.com",
      "a b",
      "http://x.y",
      "x.y/z",
      "x.y:0",
      "x.y:99999",
      "u@x.y",
      "*.1.2.3.4",
      "a\\b",
      "***",
      "*.*",
      "..",
      "a..b",
      ".a",
      "-",
      "exa_mple",
    ])
      expect([entry, hostProblem(entry)]).toEqual([
        entry,
        expect.stringMatching(/^It is no host: .*\. Write example\.com, \*\.example\.com/),
      ]);
  });

  test("says what is wrong with an entry", () => {
    expect(hostProblem(" ")).toContain("it is empty");
    expect(hostProblem("http://x/y")).toContain("it is an address of a page");
    expect(hostProblem("a.*")).toContain("a star stands before a name that has a dot itself");
    expect(hostProblem("a.b:99999")).toContain("behind it no port");
    expect(hostProblem("..")).toContain("no machine can have this name");
  });

  test("lets a host pass as it is written", async () => {
    const gate = gateWith(["example.com", "*.star.test:443"]);
    const passes = async (host: string, port = 443): Promise<boolean> =>
      (await gate.judge({ host, port })).passes;
    expect(await passes("example.com", 80)).toBe(true);
    expect(await passes("a.b.star.test")).toBe(true);
    expect(await passes("a.star.test", 80)).toBe(false);
    expect(await passes("star.test")).toBe(false);
    expect(await passes("www.example.com")).toBe(false);
    expect(await passes("example.com.evil.test")).toBe(false);
  });

  test("lets a name lead to an inner address only when the address is listed too", async () => {
    const inner = { "nas.lan": "192.168.1.7" };
    const target = { host: "nas.lan", port: 80 };
    expect(await gateWith(["nas.lan"], inner).judge(target)).toEqual({ passes: false, reason: "private" });
    expect(await gateWith(["nas.lan", "192.168.1.7:81"], inner).judge(target)).toMatchObject({
      passes: false,
    });
    expect(await gateWith(["nas.lan", "192.168.1.7:80"], inner).judge(target)).toMatchObject({
      passes: true,
    });
  });

  test("keeps what was refused, once a host", async () => {
    const gate = gateWith([]);
    for (let i = 0; i < 3; i += 1) await gate.judge({ host: "a.test", port: 80 });
    expect(gate.refused).toMatchObject([{ host: "a.test", port: 80, reason: "unlisted" }]);
  });
});

describe("a person who is asked about a host", () => {
  test("is asked once by those who wait at a time; what holds longer is on the list", async () => {
    const asked: string[] = [];
    const answer = Promise.withResolvers<"allow" | "deny">();
    const hosts = new HostList([]);
    const gate = new NetworkGate({
      hosts,
      clock: handClock(),
      resolve: () => Promise.resolve([{ address: "93.184.215.14", family: 4 }]),
      onUnlisted: ({ host }) => {
        asked.push(host);
        return answer.promise;
      },
    });
    const judged = [1, 2, 3].map(() => gate.judge({ host: "a.test", port: 443 }));
    answer.resolve("allow");
    expect((await Promise.all(judged)).map(({ passes }) => passes)).toEqual([true, true, true]);
    expect(asked).toEqual(["a.test"]);
    hosts.add("a.test");
    await gate.judge({ host: "a.test", port: 443 });
    expect(asked).toEqual(["a.test"]);
  });

  test("is not asked about this machine, and again when nobody answered", async () => {
    const answers: (() => Promise<"allow" | "deny">)[] = [
      () => Promise.reject(new Error("nobody")),
      () => Promise.resolve("deny"),
    ];
    const asked: string[] = [];
    const gate = new NetworkGate({
      hosts: new HostList([]),
      clock: handClock(),
      onUnlisted: ({ host }) => {
        asked.push(host);
        return answers.shift()?.() ?? Promise.resolve("allow");
      },
    });
    for (const host of ["127.0.0.1", "::1", "169.254.169.254"])
      expect(await gate.judge({ host, port: 80 })).toMatchObject({ passes: false });
    for (let i = 0; i < 2; i += 1)
      expect(await gate.judge({ host: "a.test", port: 80 })).toMatchObject({ passes: false });
    expect(asked).toEqual(["a.test", "a.test"]);
  });
});

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined)(`the way out ${why}`, () => {
  test("carries requests and tunnels to a listed host, whole and in both directions", async () => {
    const server = createServer((request, answer) => {
      let bytes = 0;
      request.on("data", (chunk: Buffer) => void (bytes += chunk.length));
      request.on("end", () =>
        answer.end(`${request.method} ${request.headers.host} ${bytes} ${"x".repeat(3_000_000)}`),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const place = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    await using at = await stage({ hosts: [place] });
    const body = "head -c 2000000 /dev/zero";
    for (const tunnel of ["", "--proxytunnel"]) {
      const { text } = await at.run(
        `${body} | curl -sS --noproxy '' ${tunnel} --data-binary @- http://${place}/ > got; head -c 40 got; wc -c < got`,
      );
      expect(text).toContain(`POST ${place} 2000000 x`);
      expect(Number(text.match(/\d+\s*$/)?.[0])).toBeGreaterThan(3_000_000);
    }
    at.sandbox.hosts.remove(place);
    expect((await at.run(`curl -sS --noproxy '' http://${place}/`)).text).toContain("The sandbox refuses");
    server.close();
  });

  test("is there for Node and Python as for others", async () => {
    await using at = await stage();
    const python =
      "import urllib.request\ntry: urllib.request.urlopen('http://a.test/')\nexcept Exception as e: print(e)";
    await at.run(`python3 -c "${python}"`);
    await at.run(`${process.execPath} -e "fetch('http://b.test/').then(r=>r.text()).then(console.log)"`);
    await at.run("git ls-remote http://c.test/x");
    expect(at.sandbox.refusedHosts.map(({ host }) => host)).toEqual(
      expect.arrayContaining(["a.test", "b.test", "c.test"]),
    );
  });

  test("leads through the proxy of this network, by name, but for what is near or listed as direct", async () => {
    const asked: string[] = [];
    const outer = createServer((request, answer) => {
      asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
      answer.end("from afar");
    });
    outer.on("connect", (request, socket) => {
      asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"]}`);
      if (request.url === "closed.test:443") socket.end("HTTP/1.1 407 No\r\n\r\n");
      else socket.end("HTTP/1.1 200 OK\r\n\r\nfrom the tunnel");
    });
    const near = createServer((_request, answer) => answer.end("from nearby"));
    const [proxy, direct] = await Promise.all([outer, near].map((server) => portOf(server)));
    const env = {
      ...process.env,
      HTTP_PROXY: `http://me:secret@127.0.0.1:${proxy}`,
      NO_PROXY: "direct.test",
    };
    const hosts = ["far.test", "closed.test", "direct.test", `127.0.0.1:${direct}`];
    await using at = await stage({ hosts }, { env });
    const get = async (url: string): Promise<string> =>
      (await at.run(`curl -sS --noproxy '' --http0.9 ${url} 2>&1`)).text;
    const known = `Basic ${Buffer.from("me:secret").toString("base64")}`;
    expect(await get("http://far.test/a?b")).toBe("from afar");
    expect(await get("--proxytunnel http://far.test/")).toContain("from the tunnel");
    expect(await get("https://closed.test/")).toContain("502");
    expect(asked).toEqual([
      `GET http://far.test/a?b ${known}`,
      `CONNECT far.test:80 ${known}`,
      `CONNECT closed.test:443 ${known}`,
    ]);
    expect(await get(`http://127.0.0.1:${direct}/`)).toBe("from nearby");
    expect(await get("http://direct.test/")).toContain("has no address");
    expect(await get("http://other.test/")).toContain("The sandbox refuses other.test");
    expect((await at.run("env")).text).not.toContain("secret");
    expect(asked).toHaveLength(3);
    for (const server of [outer, near]) server.close();
  });
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
