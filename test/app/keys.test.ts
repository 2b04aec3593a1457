import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveSettings } from "../../src/app/config/live-settings.ts";
import { loadSettings } from "../../src/app/config/settings.ts";
import { provideKey } from "../../src/app/keys/required-keys.ts";
import type { ToolAnswer, ToolQuestion } from "../../src/core/index.ts";
import { systemClock } from "../../src/shared/async/clock.ts";

interface Home extends AsyncDisposable {
  readonly live: LiveSettings;
  readonly asked: ToolQuestion[];
  readonly read: (file: string) => string;
  /** Asks for a key; the answers are given in their order. */
  readonly provide: (
    key: { readonly name: string; readonly forCommands?: boolean },
    ...answers: readonly (string | ToolAnswer)[]
  ) => Promise<string | undefined>;
}

async function home(files: Readonly<Record<string, string>> = {}): Promise<Home> {
  const folder = mkdtempSync(join(tmpdir(), "agent-keys-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const environment = { AGENT_HOME: folder, HOME: folder, PATH: "/usr/bin" };
  const settings = await loadSettings(environment, folder);
  const start = { environment, cwd: folder, clock: systemClock, platform: process.platform };
  const live = new LiveSettings(settings, start);
  const asked: ToolQuestion[] = [];
  return {
    live,
    asked,
    read: (file) => readFileSync(join(folder, file), "utf8"),
    provide({ name, forCommands = false }, ...answers) {
      const left = [...answers];
      const ask = (question: ToolQuestion): Promise<ToolAnswer> => {
        asked.push(question);
        const answer = left.shift() ?? { outcome: "refused", reason: "nobody is there" };
        return Promise.resolve(typeof answer === "string" ? { outcome: "answered", text: answer } : answer);
      };
      return provideKey(live, { ask }, { name, reason: "The test needs a key.", forCommands });
    },
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

test("a key that is set is not asked for", async () => {
  await using at = await home({ ".env": "SOME_KEY=there\n" });
  expect(await at.provide({ name: "SOME_KEY" })).toBeUndefined();
  expect(at.asked).toEqual([]);
});

test("a key that is not set is asked for, and kept in .env when the person says so", async () => {
  await using at = await home();
  expect(
    await at.provide(
      { name: "SOME_KEY", forCommands: true },
      "v-1-secret",
      "In the .env file of the agent's home",
    ),
  ).toBeUndefined();
  expect(at.asked.map(({ kind }) => kind)).toEqual(["secret", "clarify"]);
  expect(at.asked[0]).toMatchObject({ envVar: "SOME_KEY", prompt: "The test needs a key. SOME_KEY:" });
  expect(at.read(".env")).toBe("SOME_KEY=v-1-secret\n");
  expect(at.live.env["SOME_KEY"]).toBe("v-1-secret");
  expect(at.live.commandVariables).toEqual(["SOME_KEY"]);
  expect(at.read("config.yaml")).toContain("SOME_KEY");
  expect(at.read("config.yaml")).not.toContain("v-1-secret");
});

test("one that is to be kept nowhere holds until the process ends, and is hidden like all secrets", async () => {
  await using at = await home();
  const place = "Nowhere: only until this agent ends";
  expect(await at.provide({ name: "SOME_KEY", forCommands: true }, "v-2-secret", place)).toBeUndefined();
  expect(() => at.read(".env")).toThrow("ENOENT");
  expect(() => at.read("config.yaml")).toThrow("ENOENT");
  await at.live.reloadEnvironment();
  expect(at.live.env["SOME_KEY"]).toBe("v-2-secret");
  expect(at.live.secrets).toContain("v-2-secret");
  expect(at.live.commandVariables).toEqual(["SOME_KEY"]);
});

test("a key that nobody gives is told as missing, with the reason", async () => {
  await using at = await home();
  expect(await at.provide({ name: "SOME_KEY" })).toBe("SOME_KEY was not given: nobody is there");
  expect(await at.provide({ name: "SOME_KEY" }, "")).toBe("SOME_KEY was not given");
  expect(await at.provide({ name: "not a name" })).toBe('"not a name" is no name of a variable');
  expect(at.live.env["SOME_KEY"]).toBeUndefined();
});

test("commands see a key that is set only when the person allows it", async () => {
  await using at = await home({ ".env": "OTHER_KEY=v-3-secret\n" });
  const wanted = { name: "OTHER_KEY", forCommands: true };
  expect(await at.provide(wanted, "No")).toBe("commands may not see OTHER_KEY");
  expect(await at.provide(wanted)).toContain("nobody is there");
  expect(at.live.commandVariables).toEqual([]);
  expect(await at.provide(wanted, "Yes, from now on")).toBeUndefined();
  expect(at.live.commandVariables).toEqual(["OTHER_KEY"]);
  expect(await at.provide(wanted)).toBeUndefined();
});
