import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { systemClock } from "../../shared/async/clock.ts";
import {
  API_MODES,
  type ApiMode,
  type DetectedEndpoint,
  dialectOf,
  findLocalServers,
  KINDS,
  type ListedModel,
  PROVIDER_KINDS,
  type ProviderKind,
} from "../../providers/models/index.ts";
import { forTerminal } from "../../tui/terminal/terminal-text.ts";
import type { Io } from "../../app/process/io.ts";
import { LineInput } from "../terminal/line-input.ts";
import { type CompleteChoice, providerOf, type ModelWishes } from "../../app/model-setup/choices.ts";
import {
  detect,
  keyValue,
  type SetupEnvironment,
  vendorModels,
} from "../../app/model-setup/complete-choice.ts";

interface Option<Value> {
  readonly label: string;
  readonly value: Value;
}

type Start = Pick<ModelWishes, "baseUrl"> & { readonly provider?: ProviderKind };

/** The questions of `agent setup`, on stderr. Ctrl+C and the end of the input leave everything as it was. */
export class Wizard implements Disposable {
  readonly #lines: LineInput;
  readonly #environment: SetupEnvironment;

  constructor(io: Io, environment: SetupEnvironment) {
    this.#lines = new LineInput(io, io.stderr);
    this.#environment = environment;
  }

  /** @throws HostError `interrupted` when the person leaves */
  async ask(wanted: ModelWishes): Promise<CompleteChoice> {
    const start = await this.#start(wanted);
    const provider = start.provider ?? providerOf(start.baseUrl ?? "");
    if (provider === "demo") return { provider, model: "demo", keyless: false };
    const proven = await this.#prove({ ...wanted, ...start, provider });
    const { baseUrl } = proven;
    const found = baseUrl === undefined ? undefined : await detect({ ...proven, baseUrl }, this.#environment);
    if (baseUrl !== undefined) this.say(detectedText(found));
    const apiMode =
      proven.apiMode ?? found?.apiMode ?? (baseUrl === undefined ? undefined : await this.#mode());
    const listed =
      baseUrl === undefined ? await vendorModels(proven, this.#environment) : (found?.models ?? []);
    const model = proven.model ?? (await this.#model(listed));
    const contextLength = proven.contextLength ?? listed.find(({ id }) => id === model)?.contextLength;
    return {
      ...proven,
      model,
      ...defined({ baseUrl: found?.baseUrl, apiMode, contextLength }),
    };
  }

  /** A yes, or a no by default. */
  async confirm(question: string): Promise<boolean> {
    return /^y(es)?$/i.test(await this.#line(`${question} [y/N] `));
  }

  say(text: string): void {
    this.#lines.print(`${forTerminal(text)}\n`);
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }

  /** Asks for the place of the model. */
  async #start({ provider, baseUrl }: ModelWishes): Promise<Start> {
    if (provider !== undefined && (baseUrl !== undefined || !asksAddress(provider)))
      return { provider, ...defined({ baseUrl }) };
    if (provider !== undefined) return { provider, baseUrl: await this.#address() };
    if (baseUrl !== undefined) return { baseUrl };
    const servers = await findLocalServers({ clock: systemClock, signal: new AbortController().signal });
    const chosen = await this.#choose<Start>("Where is the model?", [
      ...servers.map(({ baseUrl: address, models }) => ({
        label: `The model server on this machine at ${address} (${models
          .map(({ id }) => id)
          .slice(0, 3)
          .join(", ")})`,
        value: { provider: "local", baseUrl: address } as const,
      })),
      ...hosted(),
    ]);
    const isOpen =
      chosen.baseUrl === undefined && (chosen.provider === undefined || asksAddress(chosen.provider));
    return isOpen ? { ...chosen, baseUrl: await this.#address() } : chosen;
  }

  #address(): Promise<string> {
    return this.#required("Address of the endpoint (such as https://example.com/v1): ");
  }

  /** Asks for the credential. */
  async #prove<Given extends ModelWishes & { readonly provider: ProviderKind }>(
    given: Given,
  ): Promise<Given> {
    if (given.keyless || given.key !== undefined || given.keyEnv !== undefined) return given;
    if (keyValue(given, this.#environment.env) !== undefined) return given;
    if (PROVIDER_KINDS[given.provider].cloud === true) {
      const keyless = await this.#choose("How do you sign in?", [
        { label: "With a key", value: false },
        { label: "Without one, by the identity of this machine or my cloud login", value: true },
      ]);
      if (keyless) return { ...given, keyless };
    }
    const optional = PROVIDER_KINDS[given.provider].selfHosted === true;
    const question = optional ? "Key (Enter when it needs none): " : "Key (it is not shown): ";
    const key = optional
      ? await this.#line(question, { hidden: true })
      : await this.#required(question, { hidden: true });
    return key === "" ? given : { ...given, key };
  }

  #mode(): Promise<ApiMode> {
    return this.#choose<ApiMode>(
      "What does it speak?",
      API_MODES.map((value) => ({ label: dialectOf(value).label, value })),
    );
  }

  /** One of the list by its number, or any name: what is deployed need not be listed. */
  async #model(listed: readonly ListedModel[]): Promise<string> {
    const models = listed.slice(0, MOST_LISTED);
    for (const [place, { id, contextLength }] of models.entries())
      this.say(
        `  ${place + 1}) ${id}${contextLength === undefined ? "" : `, ${contextLength} tokens of context`}`,
      );
    const typed = await this.#required(
      models.length === 0 ? "Name of the model or deployment: " : "Model: its number, or any name: ",
    );
    return models[Number(typed) - 1]?.id ?? typed;
  }

  async #choose<Value>(question: string, options: readonly Option<Value>[]): Promise<Value> {
    this.say(question);
    for (const [place, { label }] of options.entries()) this.say(`  ${place + 1}) ${label}`);
    for (;;) {
      const option = options[Number(await this.#line("> ")) - 1];
      if (option !== undefined) return option.value;
      this.say(`Please type a number from 1 to ${options.length}.`);
    }
  }

  async #required(question: string, options: { readonly hidden?: boolean } = {}): Promise<string> {
    for (;;) {
      const text = await this.#line(question, options);
      if (text !== "") return text;
    }
  }

  async #line(question: string, options: { readonly hidden?: boolean } = {}): Promise<string> {
    this.#lines.prompt(question, options);
    const typed = await this.#lines.next(new AbortController().signal);
    if (options.hidden === true) this.#lines.print("\n");
    if (typed?.type === "line") return typed.text.trim();
    throw new HostError("interrupted", "Nothing was changed.");
  }
}

const asksAddress = (kind: ProviderKind): boolean => PROVIDER_KINDS[kind].asksAddress === true;
const MOST_LISTED = 40;
/** The place of "another address" in the menu. */
const OTHER_PLACE = 4;

/** The kinds of provider that setup offers by name, and an address of any other one before the demo. */
function hosted(): readonly Option<Start>[] {
  const offered = KINDS.flatMap((provider) => {
    const { menu } = PROVIDER_KINDS[provider];
    return menu === undefined ? [] : [{ ...menu, value: { provider } }];
  });
  const spoken = API_MODES.map((mode) => dialectOf(mode).label.toLowerCase());
  const label = `Another address: any server that speaks ${spoken.slice(0, -1).join(", ")} or ${spoken.at(-1)}`;
  return [...offered, { place: OTHER_PLACE, label, value: {} }].sort((a, b) => a.place - b.place);
}

function detectedText(found: DetectedEndpoint | undefined): string {
  if (found === undefined) return "It does not say what it speaks.";
  const label = dialectOf(found.apiMode).label.toLowerCase();
  switch (found.by) {
    case "path":
      return `Its path says that it speaks ${label}.`;
    case "models":
      return `It speaks ${label} and lists ${found.models.length} models.`;
    case "answer":
      return `It speaks ${label}.`;
  }
}
