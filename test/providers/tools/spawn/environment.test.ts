import { expect, test } from "vitest";
import { childEnvironment } from "../../../../src/providers/tools/spawn/environment.ts";

test("what is on the list passes, and nothing else", () => {
  const env = childEnvironment({
    HOME: "/home/me",
    PATH: "/usr/bin:/bin",
    LC_ALL: "C.UTF-8",
    http_proxy: "http://proxy:3128",
    OPENAI_API_KEY: "sk-1",
    AGENT_GATEWAY_TOKEN: "t",
    AWS_SECRET_ACCESS_KEY: "s",
    BASH_ENV: "/tmp/evil",
    LD_PRELOAD: "/tmp/evil.so",
    NODE_OPTIONS: "--require /tmp/evil.js",
    IFS: "/",
    "BASH_FUNC_ls%%": "() { rm -rf ~; }",
    EMPTY: undefined,
  });
  expect(Object.keys(env).sort()).toEqual([
    "DEBIAN_FRONTEND",
    "GIT_EDITOR",
    "GIT_PAGER",
    "GIT_TERMINAL_PROMPT",
    "HOME",
    "LC_ALL",
    "NO_COLOR",
    "PAGER",
    "PATH",
    "SHLVL",
    "TERM",
    "http_proxy",
  ]);
});

test("more names pass when the configuration says so", () => {
  expect(childEnvironment({ GH_TOKEN: "t" }, ["GH_TOKEN"])["GH_TOKEN"]).toBe("t");
});

test("programs are not looked for in places relative to the workspace", () => {
  expect(childEnvironment({ PATH: ".:/usr/bin::node_modules/.bin:/bin" })["PATH"]).toBe("/usr/bin:/bin");
  expect(childEnvironment({ PATH: ".:bin" })["PATH"]).toBe("/usr/local/bin:/usr/bin:/bin");
});
