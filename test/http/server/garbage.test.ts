import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { KEY, rawRequest, stageWith } from "../stage.ts";

const CHAT = "/v1/chat/completions";
const message = (content: unknown): string => JSON.stringify({ messages: [{ role: "user", content }] });

const manyKeys = Array.from({ length: 10_001 }, (_, index) => [`k${index}`, 1]);

describe("what is no request", () => {
  test.each<readonly [name: string, body: string | Uint8Array<ArrayBuffer>, about: string]>([
    ["no body", "", "Invalid JSON in request body"],
    ["nothing but spaces", " ".repeat(100_000), "it is empty"],
    ["broken JSON", '{"messages": [', "Invalid JSON in request body"],
    ["an array", "[]", "must be an object"],
    ["null", "null", "must be an object"],
    ["bad UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), "not UTF-8"],
    ["JSON 65 levels deep", `{"messages":${"[".repeat(64)}${"]".repeat(64)}}`, "deeper than 64"],
    ["a million open brackets", "[".repeat(1_000_000), "deeper than 64"],
    ["a key that comes twice", '{"stream":true,"stream":false,"messages":[]}', '"stream" comes twice'],
    ["a key that comes twice, once escaped", '{"a":{"b":1,"\\u0062":2}}', '"b" comes twice'],
    ["half a million values", `{"messages":[${"1,".repeat(500_000)}1]}`, "more than 500000 values"],
    ["ten thousand keys", JSON.stringify(Object.fromEntries(manyKeys)), "more than 10000 keys"],
    ["no messages", "{}", "Missing or invalid 'messages' field"],
    ["messages of the wrong type", '{"messages":"hi"}', "Missing or invalid 'messages' field"],
    ["a message that is no object", '{"messages":["hi"]}', "'messages[0]'"],
    ["a model of the wrong type", '{"model":5,"messages":[{"role":"user","content":"x"}]}', "'model'"],
    ["only a system message", '{"messages":[{"role":"system","content":"x"}]}', "No user message found"],
    ["an empty message", message("  "), "No user message found"],
    ["an own __proto__", '{"__proto__":{"messages":[1]}}', "Missing or invalid 'messages' field"],
    ["a file", message([{ type: "file", file: {} }]), "Uploaded files"],
    ["an unknown part", message([{ type: "audio" }]), "Unsupported content part"],
    ["an image without address", message([{ type: "image_url" }]), "http(s) address"],
    [
      "an image from a file",
      message([{ type: "image_url", image_url: "file:///etc/passwd" }]),
      "http(s) address",
    ],
    [
      "a data URL that is no image",
      message([{ type: "image_url", image_url: "data:text/html,x" }]),
      "Only images",
    ],
    [
      "a data URL that is no base64",
      message([{ type: "image_url", image_url: "data:image/png;base64,%%" }]),
      "base64",
    ],
  ])("%s is answered by what is wrong with it", async (_name, body, about) => {
    await using stage = await stageWith(scriptedModel());
    const answer = await stage.ask(CHAT, { method: "POST", body });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message).toContain(about);
    expect(Object.keys(error).toSorted()).toEqual(["code", "message", "param", "type"]);
    expect(stage.host.reported).toEqual([]);
  });

  test("codes tell machines what is wrong with a part", async () => {
    await using stage = await stageWith(scriptedModel());
    const codeOf = async (part: unknown): Promise<unknown> => {
      const answer = await stage.ask(CHAT, { method: "POST", body: message([part]) });
      const { error } = (await answer.json()) as { error: { code: string; param: string } };
      expect(error.param).toBe("messages[0].content");
      return error.code;
    };
    expect(await codeOf({ type: "input_file", file_id: "f" })).toBe("unsupported_content_type");
    expect(await codeOf({ type: "image_url", image_url: { url: "data:text/plain,x" } })).toBe(
      "unsupported_content_type",
    );
    expect(await codeOf({ type: "image_url", image_url: { url: "ftp://x" } })).toBe("invalid_image_url");
    expect(await codeOf({ type: "image_url", image_url: { url: "https://x/y.png", detail: " " } })).toBe(
      "invalid_content_part",
    );
  });

  test("a body over the limit is refused before it is read, by its length or while it comes", async () => {
    await using stage = await stageWith(scriptedModel(), { settings: { maxBodyBytes: 1000 } });
    const head = `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\n`;
    // The length alone is enough: no byte of the body is sent.
    expect(
      await rawRequest(stage.port, `${head}Connection: close\r\nContent-Length: 11000000\r\n\r\n`),
    ).toMatch(/^HTTP\/1.1 413 .*body_too_large/s);
    const chunk = `${(600).toString(16)}\r\n${"x".repeat(600)}\r\n`;
    const chunked = `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await rawRequest(stage.port, `${chunked}${chunk}${chunk}`)).toMatch(/^HTTP\/1.1 413 /);
  });

  test("garbage behind a request ends the connection, and does not get into the answer that goes on", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("Hello."), wait(hold)]));
    const body = JSON.stringify({ stream: true, messages: [{ role: "user", content: "hi" }] });
    const client = connect(stage.port, "127.0.0.1");
    const closed = once(client, "close");
    let text = "";
    client
      .on("error", () => undefined)
      .on("data", (piece: Buffer) => {
        if (!text.includes("Hello.") && piece.includes("Hello.")) client.write("\0garbage\r\n\r\n");
        text += piece.toString();
      });
    client.write(
      `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await closed;
    expect(text).toMatch(/^HTTP\/1.1 200 .*Hello\./s);
    expect(text).not.toContain("HTTP/1.1 400");
    hold.open();
  });

  test("a client that asks first sends its body only when it is wanted", async () => {
    await using stage = await stageWith(scriptedModel([say("Hello.")]), { settings: { maxBodyBytes: 1000 } });
    const body = message("hi");
    const ask = (key: string, length: number): string =>
      `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const refused = (status: number): RegExp =>
      new RegExp(`^HTTP/1.1 ${status} .*\r\nConnection: close\r\n`, "s");
    expect(await rawRequest(stage.port, ask("wrong", body.length))).toMatch(refused(401));
    expect(await rawRequest(stage.port, ask(KEY, 1001))).toMatch(refused(413));
    const answer = await new Promise<string>((resolve, reject) => {
      const client = connect(stage.port, "127.0.0.1", () => client.write(ask(KEY, body.length)));
      let text = "";
      client.on("error", reject).on("data", (piece: Buffer) => {
        text += piece.toString();
        if (text === "HTTP/1.1 100 Continue\r\n\r\n") client.write(body);
        if (!text.includes("Hello.")) return;
        client.destroy();
        resolve(text);
      });
    });
    expect(answer).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n.*\r\nConnection: keep-alive\r\n/s,
    );
  });

  test("a client that first sends all of a body that is too large gets to read why not", async () => {
    await using stage = await stageWith(scriptedModel(), { settings: { maxBodyBytes: 1000 } });
    const body = new Uint8Array(8_000_000);
    const refused = async (headers: Readonly<Record<string, string>>): Promise<number> => {
      const answer = await stage.ask(CHAT, { method: "POST", body, headers });
      await answer.text();
      return answer.status;
    };
    for (let times = 0; times < 3; times += 1) expect(await refused({})).toBe(413);
    expect(await refused({ authorization: "Bearer wrong" })).toBe(401);
    const head = `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await rawRequest(stage.port, Buffer.concat([Buffer.from(head), body]))).toMatch(/^HTTP\/1.1 401 /);
    // And its connection is as good as any.
    expect((await stage.ask("/v1/models")).status).toBe(200);
  });

  test("a packed body is refused as what it is", async () => {
    await using stage = await stageWith(scriptedModel());
    const body = new Uint8Array(gzipSync(message("hi")));
    const answer = await stage.ask(CHAT, { method: "POST", body, headers: { "content-encoding": "gzip" } });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: { code: "unsupported_content_encoding" } });
  });

  test("an offer of HTTP/2 along the way is passed over, with and without a body", async () => {
    await using stage = await stageWith(scriptedModel([say("Hello.")]));
    const offer = `Host: localhost\r\nAuthorization: Bearer ${KEY}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk`;
    const ask = (line: string, body = ""): Promise<string> =>
      rawRequest(stage.port, `${line} HTTP/1.1\r\n${offer}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(await ask("GET /v1/models")).toMatch(/^HTTP\/1.1 200 .*"object":"list"/s);
    expect(await ask(`POST ${CHAT}`, message("hi"))).toMatch(/^HTTP\/1.1 200 .*Hello\./s);
  });

  test("a key that is not ASCII is a wrong key, and a header cannot begin another", async () => {
    await using stage = await stageWith(scriptedModel());
    const head = `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n`;
    expect(await rawRequest(stage.port, `${head}Authorization: Bearer schl\u00fcssel\r\n\r\n{}`)).toMatch(
      /^HTTP\/1.1 401 .*invalid_api_key/s,
    );
    const split = `${head}Authorization: Bearer ${KEY}\r\nX-Agent-Session-Key: a\rb\r\n\r\n{}`;
    expect(await rawRequest(stage.port, split)).toMatch(/^HTTP\/1.1 400 /);
  });

  test("bytes that are no HTTP are answered 400 and the connection is closed", async () => {
    await using stage = await stageWith(scriptedModel());
    for (const bytes of [
      "nonsense\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX: a\nb\r\n\r\n",
      `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n`,
    ])
      expect(await rawRequest(stage.port, bytes)).toMatch(/^HTTP\/1.1 400 /);
  });

  const get = (path: string, headers: string): string => `GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`;
  const lengths = { status: 400, code: "invalid_content_length" };

  test.each<readonly [what: string, bytes: string, answer: { status: number; code?: string }]>([
    ["no HTTP", "nonsense\r\n\r\n", { status: 400 }],
    ["no Host", get("/v1/models", `Authorization: Bearer ${KEY}`), { status: 400 }],
    ["large headers", get("/", `Host: a\r\nX: ${"x".repeat(100_000)}`), { status: 431 }],
    ["a length that is no number", get("/", "Host: a\r\nContent-Length: abc"), lengths],
    ["a length below 0", get("/", "Host: a\r\nContent-Length: -5"), lengths],
    ["two lengths", get("/", "Host: a\r\nContent-Length: 2\r\nContent-Length: 3"), lengths],
    ["an unknown expectation", get("/", "Host: a\r\nExpect: magic"), { status: 417 }],
    [
      "a WebSocket on no path",
      get("/ws", "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket"),
      { status: 404, code: "not_found" },
    ],
  ])("%s is answered in the form of all answers", async (_what, bytes, { status, code = null }) => {
    await using stage = await stageWith(scriptedModel());
    const [head = "", body = ""] = (await rawRequest(stage.port, bytes)).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (const line of [
      "x-content-type-options: nosniff",
      "referrer-policy: no-referrer",
      "content-type: application/json",
      "connection: close",
    ])
      expect(head.split("\r\n")).toContain(line);
    const { error } = JSON.parse(body) as { error: object };
    expect(error).toEqual({ message: expect.any(String), type: "invalid_request_error", param: null, code });
  });
});
