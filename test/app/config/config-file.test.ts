import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { addToConfigList, readConfigFile } from "../../../src/app/config/config-file.ts";
import { readEnvFile, setEnvValue } from "../../../src/app/config/env-file.ts";
import { times } from "../../kit/counts.ts";

const PROGRAM = new URL("programs/setter.ts", import.meta.url).pathname;
const KEYS = ["approvals", "allowed"];

test("what several add to a list at once is all there, with the comments of what was", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const path = join(folder.path, "config.yaml");
  writeFileSync(path, "approvals:\n  allowed:\n    - npm test # always\n");
  await Promise.all([
    addToConfigList(path, KEYS, ["npm test", "git pull"]),
    addToConfigList(path, KEYS, ["make"]),
  ]);
  expect(readFileSync(path, "utf8")).toBe(
    "approvals:\n  allowed:\n    - npm test # always\n    - git pull\n    - make\n",
  );
});

test("what several processes set at once is all there, in the configuration and the environment file", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  writeFileSync(join(folder.path, "config.yaml"), "# mine\nlimits:\n  iterations: 5 # few\n");
  const count = times(100);
  const names = ["ann", "ben", "cem"];
  const setters = names.map((name) => fork(PROGRAM, [folder.path, name, String(count)]));
  await Promise.all(setters.map((setter) => once(setter, "message")));
  const ends = setters.map((setter) => once(setter, "exit"));
  for (const setter of setters) setter.send("go");
  for (const end of ends) expect(await end).toEqual([0, null]);
  const text = readFileSync(join(folder.path, "config.yaml"), "utf8");
  expect(text).toMatch(/^# mine\nlimits:\n {2}iterations: 5 # few\n/);
  const { notes } = parse(text) as { readonly notes: Record<string, number> };
  const variables = parseEnv(readFileSync(join(folder.path, ".env"), "utf8"));
  for (const name of names) {
    for (let index = 0; index < count; index += 1) {
      expect(notes[`${name}-${index}`]).toBe(index);
      expect(variables[`${name.toUpperCase()}_${index}`]).toBe(String(index));
    }
  }
});

test("a file that cannot be changed is named, and stays as it is", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const path = join(folder.path, "config.yaml");
  writeFileSync(path, "usual: &usual { mode: smart }\napprovals: *usual\n");
  await expect(addToConfigList(path, KEYS, ["make"])).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining(path),
  });
  expect(readFileSync(path, "utf8")).toContain("approvals: *usual");
});

test("a file in another encoding is refused and stays as it is; a mark before UTF-8 is no part of it", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const [config, env] = [join(folder.path, "config.yaml"), join(folder.path, ".env")];
  const refusal = (path: string) => ({
    code: "config_invalid",
    message: expect.stringContaining(`${path} is not UTF-8 text`),
  });
  for (const text of [
    Buffer.from("profile: b # gr\xfc\xdfe\n", "latin1"),
    Buffer.from("\ufeffA=b\n", "utf16le"),
  ]) {
    for (const path of [config, env]) writeFileSync(path, text);
    await expect(readConfigFile(config)).rejects.toMatchObject(refusal(config));
    await expect(addToConfigList(config, KEYS, ["make"])).rejects.toMatchObject(refusal(config));
    await expect(setEnvValue(env, "KEY", "x")).rejects.toMatchObject(refusal(env));
    for (const path of [config, env]) expect(readFileSync(path)).toEqual(text);
  }
  writeFileSync(env, "\ufeffFIRST=1\r\nexport SECOND='two'\r\n");
  expect(readEnvFile(env)).toEqual({ FIRST: "1", SECOND: "two" });
  writeFileSync(config, "\ufeffprofile: b\n");
  expect(await readConfigFile(config)).toEqual({ profile: "b" });
});

test.each([
  ["a: &a [x, x]\n" + "bcdefgh".replaceAll(/./g, "$&: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n")],
  ["a: *nothing\n"],
  ["a: 1\n---\nb: 2\n"],
])("YAML that is no configuration is refused by the file's name: %j", async (text) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const path = join(folder.path, "config.yaml");
  writeFileSync(path, text);
  await expect(readConfigFile(path)).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringMatching(/config\.yaml (cannot be used: an alias|is no valid YAML: `---` begins)/),
  });
});

test.each([
  ["limits: {}\na: &a [*a]\n", "*a", 2],
  ["model: &m\n  models:\n    one: &o { two: [*m, *o] }\n", "*m", 3],
  ["<<: &top\n  x:\n    <<: *top\n", "*top", 3],
])(
  "an alias in what it names is an error with its line, also for a change: %j",
  async (text, alias, line) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
    const path = join(folder.path, "config.yaml");
    writeFileSync(path, text);
    const error = {
      code: "config_invalid",
      message: expect.stringContaining(
        `${path} cannot be used: the alias \`${alias}\` at line ${line} `,
      ) as string,
    };
    await expect(readConfigFile(path)).rejects.toMatchObject(error);
    await expect(addToConfigList(path, KEYS, ["make"])).rejects.toMatchObject(error);
  },
);

test("an alias of what is complete is used", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const path = join(folder.path, "config.yaml");
  writeFileSync(path, "a: &a [1]\nb: [*a, *a]\n");
  expect(await readConfigFile(path)).toEqual({ a: [1], b: [[1], [1]] });
});

test.skipIf(process.platform === "win32")("a pipe in the place of the file is not waited for", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const path = join(folder.path, "config.yaml");
  execFileSync("sh", ["-c", `mkfifo "$0"`, path]);
  const error = {
    code: "config_invalid",
    message: expect.stringContaining(`${path} is no file, but a pipe.`) as string,
  };
  await expect(readConfigFile(path)).rejects.toMatchObject(error);
  await expect(addToConfigList(path, KEYS, ["make"])).rejects.toMatchObject(error);
});
