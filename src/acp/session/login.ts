import type { Model, Models } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** A way to log in, as a client shows it. */
export interface LoginMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** The state of a connection's login. */
export type LoginState = "authenticated" | "unauthenticated" | "not_required";

const CONFIG_METHOD = {
  id: "config",
  name: "The agent's own configuration",
  description: "Uses the model and the keys of config.yaml and .env in the agent's home",
} as const satisfies LoginMethod;

/** The ways to log in that need no terminal. */
export const LOGIN_METHODS: readonly LoginMethod[] = [CONFIG_METHOD];

/** The way for clients that can run this program in a terminal. */
export const SETUP_METHOD = {
  id: "setup",
  name: "Set up a model",
  description: "Asks for provider, model and key in a terminal",
} as const satisfies LoginMethod;

/** The arguments that start the program for it, after its own. */
export const SETUP_ARGS: readonly string[] = ["--setup"];

/** The login of one connection: it may use the configured model until the client logs out. */
export class Login {
  #isOut = false;

  /**
   * @throws HostError `invalid_params` for a method that there is not, `model_not_configured`, `provider_auth`,
   * `config_invalid`
   */
  login(methodId: string, models: Models): void {
    // A client that ran the setup in a terminal logs in with that method: the configuration is read the same.
    if (methodId !== CONFIG_METHOD.id && methodId !== SETUP_METHOD.id) {
      const message = `There is no login method "${methodId}"; there is "${CONFIG_METHOD.id}".`;
      throw new HostError("invalid_params", message, { details: { subject: "methodId" } });
    }
    usable(models);
    this.#isOut = false;
  }

  logout(): void {
    this.#isOut = true;
  }

  state(models: Models): LoginState {
    if (this.#isOut) return "unauthenticated";
    try {
      return usable(models).provider === "demo" ? "not_required" : "authenticated";
    } catch {
      // The configuration cannot be used; logging in says why.
      return "unauthenticated";
    }
  }

  /** @throws HostError `unauthorized` after a logout */
  check(): void {
    if (this.#isOut)
      throw new HostError("unauthorized", "This connection is logged out; authenticate to go on.");
  }
}

/** The model of the configuration, when everything that a call to it needs is there. */
function usable(models: Models): Model {
  models.ready?.({});
  return models.resolve({});
}
