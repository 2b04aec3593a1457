import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Io } from "../../../src/app/process/io.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogChoice, openLog } from "../../../src/app/process/log.ts";
import { appendLog } from "../../../src/app/process/log-file.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { logText } from "../../../src/shared/text/log-text.ts";
import { createRedactor } from "../../../src/shared/text/redact.ts";

const folder = mkdtempSync(join(tmpdir(), "agent-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A log on a stderr that keeps what it gets. */
function logOf(choice: LogChoice | undefined, env: Io["env"] = {}) {
  const writes: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      writes.push(String(chunk));
      done();
    },
  });
  const ends: (() => void)[] = [];
  const onExit = (run: () => void): (() => void) => {
    ends.push(run);
    return () => undefined;
  };
  const end = (): void => {
    for (const run of ends) run();
  };
  const io: Pick<Io, "stderr" | "env" | "pid" | "onExit"> = { stderr, env, pid: 7, onExit };
  const redactor = createRedactor(["secret-value-1"]);
  // The log uses nothing else of a process.
  const log = openLog(io as Io, { folder, choice, redactor: () => redactor });
  /** All that has been said by the time that the process ends. */
  const said = (): string => {
    end();
    return writes.join("");
  };
  return { log, said, end, writes };
}

/** What must not reach a terminal: C0 but the line's end, DEL, C1, line separators, directions, invisible characters. */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u{e0041}/u;
const HOSTILE = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code))
  .concat("\u2028", "\u202e", "\u200b", "\ufeff", "\u{e0041}", "\ud800")
  .join("");

describe("what is logged", () => {
  test.each(LOG_FORMATS)("is one safe line in the format %s, whatever a stranger sent", (format) => {
    const { log, said } = logOf({ format, level: "debug" });
    log.write({ event: "http.request", agent: HOSTILE, path: `/x status=200 ${HOSTILE}`, message: HOSTILE });
    log.announce(`here: ${HOSTILE}`);
    log.report(new HostError("internal", HOSTILE, { cause: new Error(HOSTILE) }));
    const text = said();
    expect(text.split("\n")).toHaveLength(4);
    expect(text).not.toMatch(UNSAFE);
    expect(text.isWellFormed()).toBe(true);
  });

  test("is written once in a turn of the event loop, in order, also when the process ends in it", async () => {
    const { log, said, writes } = logOf({ format: "text", level: "info" });
    for (const event of ["a", "b"]) log.write({ event });
    await new Promise(setImmediate);
    expect(writes).toEqual([expect.stringMatching(/^.* info a\n.* info b\n$/)]);
    log.write({ event: "c" });
    // What people wait for, and what went wrong, is there at once.
    log.announce("here");
    log.write({ event: "d", level: "error" });
    expect(writes.slice(1)).toEqual([
      expect.stringMatching(/^.* info c\nagent: here\n$/),
      expect.stringMatching(/ error d\n$/),
    ]);
    log.write({ event: "e" });
    expect(said()).toMatch(/ info e\n$/);
  });

  test("is safe in the files too", () => {
    appendLog(folder, "delivery.log", [JSON.stringify({ text: HOSTILE })]);
    const { log, end } = logOf({ level: "info" });
    log.report(new HostError("internal", `secret-value-1 ${HOSTILE}`));
    end();
    for (const name of ["delivery.log", "agent.log", "server.log"]) {
      const text = readFileSync(join(folder, name), "utf8");
      expect(text).not.toMatch(UNSAFE);
      expect(text).not.toContain("secret-value");
    }
  });

  test("means the same in JSON as before it was made safe", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(JSON.parse(logText(JSON.stringify({ text })))).toEqual({ text });
      }),
    );
  });

  test("says words that a stranger sent so that they do not read as other fields", () => {
    const { log, said } = logOf({ format: "text", level: "info" });
    log.write({ event: "http.request", path: "/x", agent: "a status=200 x", error: undefined });
    expect(said()).toMatch(/^\d\d:\d\d:\d\d info http\.request path=\/x agent="a status=200 x"\n$/);
  });

  test.each(LOG_FORMATS)("has no secrets in the format %s", (format) => {
    const { log, said } = logOf({ format, level: "info" });
    log.write({
      event: "e",
      message: "is secret-value-1",
      path: "/secret-value-1",
      more: { a: ["secret-value-1"] },
    });
    expect(said()).not.toContain("secret-value");
  });
});

describe("the level", () => {
  test.each(LOG_LEVELS)("%s leaves lighter records out, and failures never", (level) => {
    const { log, said } = logOf({ format: "json", level });
    for (const each of LOG_LEVELS) log.write({ event: each, level: each });
    log.report(new HostError("internal", "It broke."));
    const events = said()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual([...LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)), "failure"]);
  });

  test("of a record that has none is info", () => {
    const { log, said } = logOf({ format: "json", level: "warn" });
    log.write({ event: "e" });
    expect(said()).toBe("");
  });
});

describe("a command for people", () => {
  test("is silent, and keeps its failures in the file", () => {
    const { log, said } = logOf(undefined);
    log.write({ event: "e", level: "error" });
    log.report(new HostError("internal", "It broke for people."));
    expect(said()).toBe("");
    expect(readFileSync(join(folder, "agent.log"), "utf8")).toContain('"message":"It broke for people."');
  });

  test("tells its failures when AGENT_DEBUG asks for them", () => {
    const { log, said } = logOf(undefined, { AGENT_DEBUG: "1" });
    log.report(new HostError("internal", "It broke."));
    expect(JSON.parse(said())).toMatchObject({ event: "failure", code: "internal", message: "It broke." });
  });
});

test("with --log-format json also the line that says where a server is, is JSON", () => {
  const json = logOf({ format: "json", level: "error" });
  json.log.announce("API server on http://127.0.0.1:1/v1");
  expect(JSON.parse(json.said())).toMatchObject({
    event: "server.ready",
    message: "API server on http://127.0.0.1:1/v1",
  });
  const other = logOf({ level: "error" });
  other.log.announce("API server on http://127.0.0.1:1/v1");
  expect(other.said()).toBe("agent: API server on http://127.0.0.1:1/v1\n");
});
