import { readFileSync } from "node:fs";
import { HostError } from "../../core/index.ts";
import type { EnvironmentPort } from "../../rpc/index.ts";
import { isAbsent } from "../config/home.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { replaceFile } from "../config/replace-file.ts";

/** The environment file, for the gateway. */
export function environmentPort(live: LiveSettings): EnvironmentPort {
  const { env: path } = live.current.paths;
  return {
    reload: () => live.reloadEnvironment(),
    async store(name, value) {
      replaceFile(path, withVariable(textOf(path), name, value), 0o600);
      await live.reloadEnvironment();
    },
  };
}

/** @throws HostError `invalid_params` for what no environment file can hold */
function withVariable(text: string, name: string, value: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new HostError("invalid_params", `${JSON.stringify(name)} is no name of a variable.`);
  }
  const quote = ["'", '"', "`"].find((mark) => !value.includes(mark));
  if (quote === undefined || value.includes("\0")) {
    throw new HostError("invalid_params", `The value of ${name} cannot be written to .env.`);
  }
  const kept = text.split("\n").filter((line) => !new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(line));
  while (kept.at(-1)?.trim() === "") kept.pop();
  return `${[...kept, `${name}=${quote}${value}${quote}`].join("\n")}\n`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (isAbsent(thrown)) return "";
    throw thrown;
  }
}
