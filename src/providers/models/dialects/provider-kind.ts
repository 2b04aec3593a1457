/** An environment variable with a key, and whose key that is: that of the vendor at `baseUrl`, or of the cloud service. */
export interface KeyVariable {
  readonly name: string;
  readonly service: "vendor" | "cloud";
}

/** A kind of provider: the defaults that a provider of this kind has, and the choices that setup offers for it. */
export interface ProviderKindInfo {
  /** The line of setup's menu, its place there, and the page where a key is made. */
  readonly menu?: { readonly place: number; readonly label: string; readonly page?: string };
  /** The address without a configured one. */
  readonly baseUrl?: string;
  /** The environment variable that holds an address, before `baseUrl`. */
  readonly baseUrlVariable?: string;
  /** Environment variables that hold the key when the configuration names none; those of the cloud service first. */
  readonly keyVariables?: readonly KeyVariable[];
  /** The variable that setup writes a key to when the kind reads none by itself; the configuration then names it. */
  readonly setupKeyVariable?: string;
  /** Its owner runs the server: it may need no key, and costs nothing on this machine's network. */
  readonly selfHosted?: true;
  readonly asksAddress?: true;
  /** A cloud service: it takes an identity in place of a key, and lists the models that it could deploy. */
  readonly cloud?: true;
  /** Its endpoints speak the dialect of this kind only, whatever `api_mode` says. */
  readonly oneDialect?: true;
  /** Names of listed models that hold no conversations. */
  readonly notForChat?: RegExp;
  /** Names of its models that serve a newcomer well; setup puts the newest of them first. */
  readonly recommended?: RegExp;
}
