import { spawn } from "node:child_process";
import type { Io } from "../../app/process/io.ts";

/** Opens an address in the person's browser, where there may be one; `false` where there is none. */
export function openBrowser({ env, platform, stderr }: Io, address: string): boolean {
  const program = browserProgram(env, platform);
  // Without a terminal nobody sits in front of it.
  if (program === undefined || stderr.isTTY !== true) return false;
  const child = spawn(program, [address], { stdio: "ignore", detached: true, env });
  // What cannot be opened is opened by hand: the address is printed too.
  child.on("error", () => undefined);
  child.unref();
  return true;
}

function browserProgram(env: Io["env"], platform: string): string | undefined {
  // Over SSH it would open where the person is not.
  if (env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined) return undefined;
  if (platform === "darwin") return "open";
  const hasScreen = [env["DISPLAY"], env["WAYLAND_DISPLAY"]].some(
    (name) => name !== undefined && name !== "",
  );
  return platform === "linux" && hasScreen ? "xdg-open" : undefined;
}
