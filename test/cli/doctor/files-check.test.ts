import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homePaths } from "../../../src/app/config/home.ts";
import { filesCheck } from "../../../src/cli/doctor/files-check.ts";

/** Checks a home that holds one file of a mode. */
function check(name: string, mode: number, { config = {}, platform = "linux" } = {}) {
  const home = mkdtempSync(join(tmpdir(), "agent-files-"));
  try {
    writeFileSync(join(home, name), "");
    chmodSync(join(home, name), mode);
    const { ok, text } = filesCheck({ paths: homePaths({ AGENT_HOME: home }, "/"), config }, platform);
    return { ok, text: text.replaceAll(home, "HOME") };
  } finally {
    rmSync(home, { recursive: true });
  }
}

const fine = { ok: true, text: "settings and secrets are their owner's alone" };

test.each([".env", "gateway.token", "webhook_subscriptions.json"])(
  "%s is a failure when others may read or change it, and the remedy stands beside it",
  (name) => {
    expect(check(name, 0o600)).toEqual(fine);
    for (const mode of [0o644, 0o640, 0o604])
      expect(check(name, mode)).toEqual({
        ok: false,
        text: `HOME/${name} can be read by others (mode 0${mode.toString(8)}): run \`chmod 600 HOME/${name}\``,
      });
    expect(check(name, 0o666)).toMatchObject({
      ok: false,
      text: expect.stringContaining("be changed by others"),
    });
  },
);

test("the configuration may be read by others as long as it holds no secret, and never changed", () => {
  const secret = { model: { api_key: "sk-0123456789" } };
  expect(check("config.yaml", 0o644)).toEqual(fine);
  expect(check("config.yaml", 0o664).ok).toBe(false);
  expect(check("config.yaml", 0o644, { config: secret }).ok).toBe(false);
  expect(check("config.yaml", 0o600, { config: secret })).toEqual(fine);
});

test("a home that others may write in is a failure", () => {
  const home = mkdtempSync(join(tmpdir(), "agent-files-"));
  const { paths, config } = { paths: homePaths({ AGENT_HOME: home }, "/"), config: {} };
  chmodSync(home, 0o755);
  expect(filesCheck({ paths, config }, "linux")).toMatchObject({ ok: true });
  chmodSync(home, 0o777);
  expect(filesCheck({ paths, config }, "linux")).toMatchObject({
    ok: false,
    text: expect.stringContaining(`chmod 700 ${home}`),
  });
  rmSync(home, { recursive: true });
});

test("where files have no such modes nothing is claimed", () => {
  expect(check(".env", 0o666, { platform: "win32" })).toMatchObject({
    ok: true,
    text: expect.stringContaining("not checked"),
  });
});
