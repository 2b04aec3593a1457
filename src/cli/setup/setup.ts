import { text as readAll } from "node:stream/consumers";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ApiMode, ProviderKind } from "../../providers/models/index.ts";
import { loadSettings, type Settings } from "../../app/config/settings.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { type Choices, keyVariable, type Wanted } from "../../app/model-setup/choices.ts";
import { checksOf, contextNote, keyValue, settle } from "../../app/model-setup/examine.ts";
import { saveChoices } from "../../app/model-setup/save.ts";
import { Wizard } from "./wizard.ts";

export interface SetupFlags {
  readonly provider?: ProviderKind;
  readonly baseUrl?: string;
  readonly apiMode?: ApiMode;
  readonly model?: string;
  readonly keyEnv?: string;
  readonly keyStdin: boolean;
  readonly keyless: boolean;
  readonly scope?: string;
  readonly contextLength?: number;
  /** `false`: nothing is asked of the endpoint before it is saved. */
  readonly check: boolean;
  readonly saveAnyway: boolean;
}

/** `agent setup`: chooses the model, by questions on a terminal or by flags; checks the choice and saves it. */
export async function setup(io: Io, flags: SetupFlags): Promise<number> {
  const settings = await loadSettings(io.env, io.cwd);
  const surroundings = { env: settings.env, platform: io.platform };
  const wanted = await wantedBy(io, flags);
  if (isComplete(flags)) return await finish(io, await settle(wanted, surroundings), { flags, settings });
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) throw needsFlags();
  using wizard = new Wizard(io, surroundings);
  return await finish(io, await wizard.ask(wanted), { flags, settings, wizard });
}

async function wantedBy(io: Io, flags: SetupFlags): Promise<Wanted> {
  const { keyStdin, check: _check, saveAnyway: _save, ...wanted } = flags;
  if (!keyStdin) return wanted;
  const key = (await readAll(io.stdin)).trim();
  if (key === "") throw new HostError("command_usage", "There is no key: stdin was empty.");
  return { ...wanted, key };
}

/** Nothing is left to ask for. */
const isComplete = ({ provider, baseUrl, model }: SetupFlags): boolean =>
  provider === "demo" || (model !== undefined && (provider !== undefined || baseUrl !== undefined));

const needsFlags = (): HostError =>
  new HostError(
    "command_usage",
    "There is no terminal to ask questions on. Say what you want: agent setup --base-url URL --model NAME, or --provider openai --model NAME; a key is read from its variable, or from stdin with --key-stdin.",
  );

interface Finish {
  readonly flags: SetupFlags;
  readonly settings: Settings;
  readonly wizard?: Wizard;
}

/** Checks and saves; what does not work is saved only when its owner says so. */
async function finish(io: Io, choices: Choices, { flags, settings, wizard }: Finish): Promise<number> {
  const { env, paths } = settings;
  const note = contextNote(choices);
  if (note !== undefined) await write(io.stderr, `${note}\n`);
  const works = !flags.check || choices.provider === "demo" || (await showChecks(io, choices, env));
  const save = works || flags.saveAnyway || (await wizard?.confirm("Save it anyway?")) === true;
  if (!save) {
    await write(
      io.stderr,
      "Nothing was saved. Correct it, or use --save-anyway to check it later with `agent doctor`.\n",
    );
    return EXIT.failed;
  }
  await saveChoices(choices, settings);
  const { name } = keyVariable(choices);
  const missing = !choices.keyless && choices.provider !== "local" && choices.provider !== "demo";
  if (missing && keyValue(choices, env) === undefined)
    await write(io.stderr, `There is no key yet: put it into ${paths.env} as ${name}.\n`);
  await write(io.stdout, `Saved to ${paths.config}: ${choices.provider}:${choices.model}\n`);
  return works ? EXIT.completed : EXIT.failed;
}

async function showChecks(io: Io, choices: Choices, env: Settings["env"]): Promise<boolean> {
  let works = true;
  for await (const { name, ok, text } of checksOf(choices, { env, platform: io.platform })) {
    works &&= ok;
    await write(io.stderr, `${ok ? "ok  " : "FAIL"}  ${name.padEnd(9)} ${text}\n`);
  }
  return works;
}
