import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import {
  API_MODES,
  type ApiMode,
  completeAddress,
  type DetectedEndpoint,
  dialectOf,
  findLocalServers,
  type ListedModel,
  PROVIDER_KINDS,
  type ProviderKind,
} from "../../providers/models/index.ts";
import type { Io } from "../../app/process/io.ts";
import {
  type CompleteChoice,
  keyVariable,
  providerOf,
  type ModelWishes,
  type PlacedWishes,
} from "../../app/model-setup/choices.ts";
import { detect, keyValue, tryChoice } from "../../app/model-setup/complete-choice.ts";
import type { ChoiceField, SetupEnvironment } from "../../app/model-setup/provider-checks.ts";
import { type SetupPlace, places } from "../../app/model-setup/places.ts";
import { Questions } from "./questions.ts";

const MOST_LISTED = 40;

/** The steps of `agent setup` on a terminal. Ctrl+C and the end of the input leave everything as it was. */
export class Wizard implements Disposable {
  readonly #questions: Questions;
  readonly #environment: SetupEnvironment;

  constructor(io: Io, environment: SetupEnvironment) {
    this.#questions = new Questions(io);
    this.#environment = environment;
  }

  /** Asks for what is left open: the place, the key, which is tried at once, and the model. @throws HostError `interrupted` */
  async ask(wanted: ModelWishes): Promise<CompleteChoice> {
    const place = await this.#place(wanted);
    const provider = place.provider ?? providerOf(place.baseUrl ?? "");
    if (provider === "demo") return { provider, model: "demo", keyless: false };
    return await this.#complete(await this.#prove({ ...wanted, ...place, provider }));
  }

  /** Asks for one field of a choice again; `undefined`: the person keeps it. @throws HostError `interrupted` */
  async again(field: ChoiceField, choice: CompleteChoice): Promise<CompleteChoice | undefined> {
    if (field === "model") {
      const model = await this.#questions.line(`Model again (Enter keeps ${choice.model}): `);
      return model === "" || model === choice.model ? undefined : { ...choice, model };
    }
    const changed = await this.#fieldAgain(field, choice);
    return changed === undefined ? undefined : await this.#complete(changed);
  }

  confirm(question: string): Promise<boolean> {
    return this.#questions.confirm(question);
  }

  [Symbol.dispose](): void {
    this.#questions[Symbol.dispose]();
  }

  /** Tries address and key, and finds out the rest. */
  async #complete(given: PlacedWishes): Promise<CompleteChoice> {
    const { listed: vendors, ...tried } = await this.#tried(given);
    const { baseUrl } = tried;
    const found = baseUrl === undefined ? undefined : await detect({ ...tried, baseUrl }, this.#environment);
    if (baseUrl !== undefined) this.#questions.say(detectedText(found));
    const apiMode =
      tried.apiMode ?? found?.apiMode ?? (baseUrl === undefined ? undefined : await this.#mode());
    const listed = found?.models ?? vendors;
    const model = tried.model ?? (await this.#model(listed));
    const contextLength = tried.contextLength ?? listed.find(({ id }) => id === model)?.contextLength;
    return { ...tried, model, ...defined({ baseUrl: found?.baseUrl ?? baseUrl, apiMode, contextLength }) };
  }

  /** Has the endpoint list its models; whichever of address and key it does not take is asked for again. */
  async #tried(given: PlacedWishes): Promise<PlacedWishes & { readonly listed: readonly ListedModel[] }> {
    let now = given;
    for (;;) {
      const answer = await tryChoice(now, this.#environment);
      if (answer === undefined) return { ...now, listed: [] };
      if (answer.ok) return { ...now, listed: answer.models };
      this.#questions.say(answer.text);
      const changed = await this.#fieldAgain(answer.field, now);
      if (changed === undefined) return { ...now, listed: [] };
      now = changed;
    }
  }

  async #fieldAgain(field: "key" | "address", given: PlacedWishes): Promise<PlacedWishes | undefined> {
    if (field === "key") {
      const key = await this.#questions.key("Key again (Enter goes on with what there is): ", {
        optional: true,
      });
      return key === "" ? undefined : { ...given, key };
    }
    if (given.baseUrl === undefined)
      return (await this.#questions.confirm("Try again?")) ? { ...given } : undefined;
    const baseUrl = await this.#questions.line(`Address again (Enter keeps ${given.baseUrl}): `);
    return baseUrl === "" ? undefined : { ...given, baseUrl: completeAddress(baseUrl) };
  }

  /** Asks for the place of the model. */
  async #place({ provider, baseUrl }: ModelWishes): Promise<SetupPlace> {
    if (baseUrl !== undefined) return defined({ provider, baseUrl });
    const place = provider === undefined ? await this.#choosePlace() : { provider };
    if (place.baseUrl !== undefined) return place;
    if (place.provider !== undefined && PROVIDER_KINDS[place.provider].asksAddress !== true) return place;
    return { ...place, baseUrl: await this.#address(place.provider) };
  }

  async #choosePlace(): Promise<SetupPlace> {
    const { signal } = new AbortController();
    const servers = await findLocalServers({ clock: systemClock, signal });
    const offered = places(servers, this.#environment.env).map(({ label, detail, value }) => ({
      label: detail === "" ? label : `${label}: ${detail}`,
      value,
    }));
    return await this.#questions.choose("Where is the model?", offered);
  }

  async #address(provider: ProviderKind | undefined): Promise<string> {
    const usual = provider === undefined ? undefined : PROVIDER_KINDS[provider].baseUrl;
    if (usual === undefined || provider === "local")
      return completeAddress(
        await this.#questions.required("Address of the endpoint (such as https://example.com/v1): "),
      );
    return completeAddress(await this.#questions.line(`Address (Enter for ${usual}): `)) || usual;
  }

  /** Asks for the credential. */
  async #prove(given: PlacedWishes): Promise<PlacedWishes> {
    if (given.keyless || given.key !== undefined || given.keyEnv !== undefined) return given;
    if (keyValue(given, this.#environment.env) !== undefined) {
      this.#questions.say(`The key is in ${keyVariable(given).name}.`);
      return given;
    }
    const { cloud, selfHosted, menu } = PROVIDER_KINDS[given.provider];
    if (cloud === true) {
      const keyless = await this.#questions.choose("How do you sign in?", [
        { label: "With a key", value: false },
        { label: "Without one, by the identity of this machine or my cloud login", value: true },
      ]);
      if (keyless) return { ...given, keyless };
    }
    if (menu?.page !== undefined) this.#questions.say(`A key is made at ${menu.page}`);
    const optional = selfHosted === true;
    const key = await this.#questions.key(
      optional ? "Key (Enter when it needs none): " : "Key (it is not shown): ",
      { optional },
    );
    return key === "" ? given : { ...given, key };
  }

  #mode(): Promise<ApiMode> {
    return this.#questions.choose<ApiMode>(
      "What does it speak?",
      API_MODES.map((value) => ({ label: dialectOf(value).label, value })),
    );
  }

  /** One of the list by its number, or any name: what is deployed need not be listed. */
  async #model(listed: readonly ListedModel[]): Promise<string> {
    const models = listed.slice(0, MOST_LISTED);
    for (const [place, { id, contextLength }] of models.entries())
      this.#questions.say(
        `  ${place + 1}) ${id}${contextLength === undefined ? "" : `, ${contextLength} tokens of context`}`,
      );
    const rest = listed.length - models.length;
    if (rest > 0) this.#questions.say(`  and ${rest} more, which \`agent model\` lists`);
    const [first] = models;
    if (first === undefined) return await this.#questions.required("Name of the model or deployment: ");
    const typed = await this.#questions.line(`Model: its number, or any name (Enter for ${first.id}): `);
    return typed === "" ? first.id : (models[Number(typed) - 1]?.id ?? typed);
  }
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
