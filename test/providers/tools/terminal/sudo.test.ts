import { chmod, readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { ToolAnswer } from "../../../../src/core/ports/tool.ts";
import { terminalStage, type TerminalStage } from "./terminal-stage.ts";

const PASSWORD = "pa$$ wörd'1";

/** A sudo that only knows what matters here: it wants the password from the helper, three times at most. */
const FAKE = `#!/bin/bash
printf '%s\\n' "$*" >> "$(dirname "$0")/log"
ask=no
while :; do case "$1" in -A) ask=yes; shift;; -S) ask=stdin; shift;; -n) exit 1;; *) break;; esac; done
tries=0
while :; do
  if [ $ask = yes ]; then given=$("$SUDO_ASKPASS" "[sudo] password:"); else read -r given; fi
  [ "$given" = "$(cat "$(dirname "$0")/password")" ] && break
  tries=$((tries + 1))
  [ -z "$given" ] || [ $tries = 3 ] && { echo "sudo: $tries incorrect password attempts" >&2; exit 1; }
done
env -u SUDO_ASKPASS "$@"
`;

async function withSudo(answer: () => ToolAnswer): Promise<TerminalStage> {
  const tools = await terminalStage();
  await tools.dir.write({ "sudo/sudo": FAKE, "sudo/password": PASSWORD });
  await chmod(tools.dir.at("sudo/sudo"), 0o755);
  const env = { ...process.env, PATH: `${tools.dir.at("sudo")}:/usr/bin:/bin` };
  const at = await terminalStage({ env, answer });
  return {
    ...at,
    dir: {
      ...at.dir,
      at: (...names) => (names[0] === "sudo" ? tools.dir.at(...names) : at.dir.at(...names)),
    },
  };
}

const given = (text: string): ToolAnswer => ({ outcome: "answered", text });

describe("sudo", () => {
  test("gets the password from the user when it wants one", async () => {
    await using at = await withSudo(() => given(PASSWORD));
    const { result, text } = await at.terminal({ command: "sudo echo as root" });
    expect([result.outcome, text]).toEqual(["ok", "as root"]);
    expect(at.stage.asked).toEqual([{ kind: "sudo", command: "sudo echo as root" }]);
  });

  test("is not helped when the command has nothing to do with it, or reads the password itself", async () => {
    await using at = await withSudo(() => given(PASSWORD));
    expect((await at.terminal({ command: "echo ${SUDO_ASKPASS:-none}" })).text).toBe("none");
    await at.terminal({ command: `echo wrong | sudo -S true` });
    expect(at.stage.asked).toEqual([]);
  });

  test("asks again after a wrong password, and ends after three", async () => {
    const answers = ["wrong", PASSWORD, "no", "never", "nothing"];
    await using at = await withSudo(() => given(answers.shift() ?? ""));
    expect((await at.terminal({ command: "sudo echo hi" })).text).toBe("hi");
    expect((await at.terminal({ command: "sudo echo hi" })).text).toContain("3 incorrect password attempts");
    expect(at.stage.asked).toHaveLength(5);
  });

  test("without an answer fails, and the model is told why", async () => {
    await using at = await withSudo(() => ({ outcome: "expired", reason: "" }));
    const { result, text } = await at.terminal({ command: "sudo true" });
    expect(result.outcome).toBe("error");
    expect(text).toContain("[sudo got no password: nobody answered in time]");
  });

  test("leaves the password nowhere but with sudo itself", async () => {
    await using at = await withSudo(() => given(PASSWORD));
    const { result, text, previews } = await at.terminal({
      command: [
        "$SUDO_ASKPASS",
        "sudo env",
        "env",
        "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; tr '\\0' ' ' < $p/environ; done 2>/dev/null",
        "cat $(dirname $SUDO_ASKPASS)/* 2>/dev/null",
        "printf '%s' \"$($SUDO_ASKPASS)\" | head -c 3; sleep 0.01; $SUDO_ASKPASS | tail -c +4",
      ].join("; "),
    });
    expect(text).toContain("[hidden]");
    const everything = [
      text,
      ...previews,
      ...[...at.stage.blobs.values()].map((blob) => Buffer.from(blob).toString()),
    ];
    expect(everything.filter((part) => part.includes(PASSWORD))).toEqual([]);
    expect(JSON.stringify(result)).not.toContain(PASSWORD);
    expect(await readdir(at.dir.at("tmp"))).toEqual([".keep"]);
  });

  test("asks about the command first, like any that changes things", async () => {
    await using at = await withSudo(() => given(PASSWORD));
    expect(await at.permit("terminal", { command: "sudo ls" })).toMatchObject({
      verdict: "ask",
      harmless: false,
      allowPermanent: false,
    });
  });
});
