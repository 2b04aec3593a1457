import { text as readAll } from "node:stream/consumers";
import { defined } from "../../shared/json/defined.ts";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { type SearchProvider, searchKeyVariable } from "../../providers/web/index.ts";
import { setEnvValue } from "../../app/config/env-file.ts";
import { makeHome } from "../../app/config/home.ts";
import { changeConfig, loadSettings, type AppSettings } from "../../app/config/settings.ts";
import type { SetupFlags } from "./setup-flags.ts";
import { counted } from "../../shared/text/counted.ts";
import { checkLine } from "../terminal/output.ts";
import { EXIT, type Io, write, writeLines } from "../../app/process/io.ts";
import { LineInput } from "../terminal/line-input.ts";
import { searchEngine } from "../../app/web/fetchers.ts";

/** The flags that are about searching the web. */
type WebFlags = Pick<SetupFlags, "baseUrl" | "keyEnv" | "keyStdin" | "check" | "saveAnyway"> & {
  readonly web: SearchProvider;
};

/** `agent setup --web`: chooses the engine that the web is searched with, tries it, and saves it. */
export async function setupWeb(io: Io, flags: WebFlags): Promise<number> {
  const { web: provider, baseUrl: url, keyEnv } = flags;
  const settings = await loadSettings(io.env, io.cwd);
  const variable = keyEnv ?? searchKeyVariable(provider);
  if (provider === "searxng" && url === undefined && settings.env["SEARXNG_URL"] === undefined)
    throw new HostError(
      "command_usage",
      "Say where the SearXNG instance is: agent setup --web searxng --base-url http://localhost:8888",
    );
  const key = await givenKey(io, { flags, variable, known: settings.env[variable ?? ""] });
  const env = variable === undefined ? settings.env : { ...settings.env, ...defined({ [variable]: key }) };
  const search = { provider, url, key_env: keyEnv };
  if (flags.check && !(await works(io, { env, blocks: { web: { search } } })) && !flags.saveAnyway) {
    await writeLines(io.stderr, "Nothing was saved. Correct it, or use --save-anyway.\n");
    return EXIT.failed;
  }
  makeHome(settings.paths);
  if (variable !== undefined && key !== undefined) await setEnvValue(settings.paths.env, variable, key);
  const changes = Object.entries(search).map(([name, value]) => [["web", "search", name], value] as const);
  await changeConfig(settings.paths, changes);
  await write(io.stdout, `Saved to ${settings.paths.config}: the web is searched with ${provider}.\n`);
  return EXIT.completed;
}

interface KeySources {
  readonly flags: WebFlags;
  readonly variable: string | undefined;
  /** The key that is there already. */
  readonly known: string | undefined;
}

/** The key from stdin, or typed unseen where there is a terminal and none is known. */
async function givenKey(io: Io, { flags, variable, known }: KeySources): Promise<string | undefined> {
  if (variable === undefined) {
    if (flags.keyStdin) throw new HostError("command_usage", `${flags.web} takes no key.`);
    return undefined;
  }
  if (flags.keyStdin) {
    const key = (await readAll(io.stdin)).trim();
    if (key === "") throw new HostError("command_usage", "There is no key: stdin was empty.");
    return key;
  }
  if ((known ?? "").trim() !== "") return undefined;
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new HostError(
      "command_usage",
      `There is no key for ${flags.web}: put it into ${variable}, or give it with --key-stdin.`,
    );
  using lines = new LineInput(io, io.stderr);
  lines.prompt(`Key of ${flags.web} (it is not shown): `, { hidden: true });
  const typed = await lines.next(new AbortController().signal);
  lines.print("\n");
  if (typed?.type === "line" && typed.text.trim() !== "") return typed.text.trim();
  throw new HostError("interrupted", "Nothing was changed.");
}

/** Searches for a word. */
async function works(io: Io, settings: Pick<AppSettings, "env" | "blocks">): Promise<boolean> {
  const { engine, remedy = "" } = { remedy: undefined, ...searchEngine(systemClock, settings) };
  let problem = remedy;
  if (engine !== undefined) {
    try {
      const { signal } = new AbortController();
      const { length } = await engine.search({ query: "weather", limit: 3, signal });
      const text = `${engine.name} found ${counted(length, "page")}`;
      await writeLines(io.stderr, checkLine({ name: "web", ok: true, text }));
      return true;
    } catch (thrown) {
      problem = messageOf(thrown);
    }
  }
  await writeLines(io.stderr, checkLine({ name: "web", ok: false, text: problem }));
  return false;
}
