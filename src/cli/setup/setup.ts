import { text as readAll } from "node:stream/consumers";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { loadSettings, type AppSettings } from "../../app/config/settings.ts";
import type { SetupFlags } from "./setup-flags.ts";
import { checkLine } from "../terminal/output.ts";
import { EXIT, type Io, write, writeLines } from "../../app/process/io.ts";
import { type CompleteChoice, keyVariable, type ModelWishes } from "../../app/model-setup/choices.ts";
import { checkChoice, contextNote, keyValue, completeChoice } from "../../app/model-setup/complete-choice.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";
import { completeAddress, kindNamed, PROVIDER_KINDS } from "../../providers/models/index.ts";
import { saveChoices } from "../../app/model-setup/save.ts";
import { Wizard } from "./wizard.ts";

/** The flags that are about the model. */
type ModelFlags = Omit<SetupFlags, "web" | "platform">;

/** `agent setup`: chooses the model, by questions on a terminal or by flags; checks the choice and saves it. */
export async function setup(io: Io, flags: ModelFlags): Promise<number> {
  const settings = await loadSettings(io.env, io.cwd);
  const environment = { env: settings.env, platform: io.platform };
  const wanted = await wantedBy(io, flags);
  if (isComplete(flags))
    return await finish(io, await completeChoice(wanted, environment), { flags, settings });
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) throw needsFlags();
  using wizard = new Wizard(io, environment);
  return await finish(io, await wizard.ask(wanted), { flags, settings, wizard });
}

async function wantedBy(io: Io, flags: ModelFlags): Promise<ModelWishes> {
  const {
    keyStdin,
    check: _check,
    saveAnyway: _save,
    from: _from,
    provider: named,
    baseUrl: typed,
    ...rest
  } = flags;
  const provider = named === undefined ? undefined : kindNamed(named);
  const baseUrl = typed === undefined ? undefined : completeAddress(typed);
  const wanted = { ...rest, ...defined({ provider, baseUrl }) };
  if (!keyStdin) return wanted;
  const key = (await readAll(io.stdin)).trim();
  if (key === "") throw new HostError("command_usage", "There is no key: stdin was empty.");
  return { ...wanted, key };
}

/** Nothing is left to ask for. */
const isComplete = ({ provider, baseUrl, model }: ModelFlags): boolean =>
  provider === "demo" || (model !== undefined && (provider !== undefined || baseUrl !== undefined));

const needsFlags = (): HostError =>
  new HostError(
    "command_usage",
    "There is no terminal to ask questions on. Say what you want: agent setup --base-url URL --model NAME, or --provider openai --model NAME; a key is read from its variable, or from stdin with --key-stdin.",
  );

interface Finish {
  readonly flags: ModelFlags;
  readonly settings: AppSettings;
  readonly wizard?: Wizard;
}

/** Checks and saves; what does not work is saved only when its owner says so. */
async function finish(io: Io, choices: CompleteChoice, { flags, settings, wizard }: Finish): Promise<number> {
  const { env, paths } = settings;
  const note = contextNote(choices);
  if (note !== undefined) await writeLines(io.stderr, `${note}\n`);
  const failed = !flags.check || choices.provider === "demo" ? undefined : await showChecks(io, choices, env);
  const works = failed === undefined;
  if (failed?.field !== undefined && wizard !== undefined) {
    const changed = await wizard.again(failed.field, choices);
    if (changed !== undefined) return await finish(io, changed, { flags, settings, wizard });
  }
  const save = works || flags.saveAnyway || (await wizard?.confirm("Save it anyway?")) === true;
  if (!save) {
    await writeLines(
      io.stderr,
      "Nothing was saved. Correct it, or use --save-anyway to check it later with `agent doctor`.\n",
    );
    return EXIT.failed;
  }
  await saveChoices(choices, settings);
  const { name } = keyVariable(choices);
  const { key } = choices;
  if (name !== undefined && key !== undefined && (io.env[name] ?? key) !== key)
    await writeLines(
      io.stderr,
      `${name} is set in the environment too, with another value, which goes before .env: unset it there.\n`,
    );
  const missing =
    !choices.keyless && PROVIDER_KINDS[choices.provider].selfHosted !== true && choices.provider !== "demo";
  if (missing && keyValue(choices, env) === undefined)
    await writeLines(io.stderr, `There is no key yet: put it into ${paths.env} as ${name}.\n`);
  await write(io.stdout, `Saved to ${paths.config}: ${choices.provider}:${choices.model}\n`);
  if (wizard !== undefined) await tellSandbox(io);
  return works ? EXIT.completed : EXIT.failed;
}

/** Says where commands will run. */
async function tellSandbox(io: Io): Promise<void> {
  const { sandboxChecks } = await import("../doctor/sandbox-check.ts");
  for await (const { text } of sandboxChecks(io)) {
    const choice = "`terminal.backend` in config.yaml chooses: auto, sandbox, container or local.";
    return await writeLines(io.stderr, `Sandbox: ${text}\n${choice}\n`);
  }
}

/** Shows the checks; gives the first one that failed. */
async function showChecks(
  io: Io,
  choices: CompleteChoice,
  env: AppSettings["env"],
): Promise<Check | undefined> {
  let failed: Check | undefined;
  for await (const check of checkChoice(choices, { env, platform: io.platform })) {
    if (!check.ok) failed ??= check;
    await writeLines(io.stderr, checkLine(check));
  }
  return failed;
}
