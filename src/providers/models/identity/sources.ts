import type * as Identity from "@azure/identity";
import { messageOf } from "../../../shared/errors/host-error.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import { type EnvironmentVariables, valueOf } from "../config/environment.ts";

type Sdk = typeof Identity;
type TokenCredential = Identity.TokenCredential;

/** A source that cannot be asked on this machine, and why: a package or a variable that is not there. */
export interface MissingSource {
  readonly missing: string;
}

/** One source of the chain. */
export interface TokenSource {
  /** As messages use it. */
  readonly name: string;
  open(sdk: Sdk): TokenCredential | MissingSource | Promise<TokenCredential | MissingSource>;
}

/** The machine's properties that decide which sources there are. */
export interface IdentityEnvironment {
  readonly env: EnvironmentVariables;
  /** As Node names it; Linux under Windows is found by its environment. */
  readonly platform: string;
}

/** Milliseconds that another program may take to print a token. */
const PROGRAM_MS = 30_000;

interface SourceSettings {
  readonly env: EnvironmentVariables;
  readonly tenantId: string | undefined;
  readonly clientId: string | undefined;
  readonly authority: { readonly authorityHost?: string; readonly disableInstanceDiscovery?: boolean };
}

/**
 * The sources in the order in which they are asked; the first token wins. A browser is never opened. The editor and the
 * broker join when their plug-ins are installed, the broker on Windows and Linux under Windows only.
 */
export function identitySources({ env, platform }: IdentityEnvironment): readonly TokenSource[] {
  const given: SourceSettings = {
    env,
    tenantId: valueOf(env, "AZURE_TENANT_ID"),
    clientId: valueOf(env, "AZURE_CLIENT_ID"),
    authority: authorityOf(valueOf(env, "AZURE_AUTHORITY_HOST")),
  };
  const tool = { processTimeoutInMs: PROGRAM_MS };
  const isWindows = platform === "win32" || valueOf(env, "WSL_DISTRO_NAME") !== undefined;
  return [
    { name: "environment", open: (sdk) => fromEnvironment(sdk, given) },
    { name: "workload identity", open: (sdk) => workloadIdentity(sdk, given) },
    { name: "managed identity", open: (sdk) => managedIdentity(sdk, given) },
    { name: "editor extension", open: (sdk) => editor(sdk) },
    { name: "command-line login", open: (sdk) => new sdk.AzureCliCredential(tool) },
    { name: "developer-tool login", open: (sdk) => new sdk.AzureDeveloperCliCredential(tool) },
    { name: "shell-module login", open: (sdk) => new sdk.AzurePowerShellCredential(tool) },
    ...(isWindows ? [{ name: "desktop broker", open: (sdk: Sdk) => broker(sdk) } as const] : []),
  ];
}

const KNOWN_AUTHORITIES = [
  "login.microsoftonline.com",
  "login.microsoftonline.us",
  "login.partner.microsoftonline.cn",
  "login.chinacloudapi.cn",
];

/** A private cloud cannot be looked up in the list of the public ones. */
function authorityOf(address: string | undefined): SourceSettings["authority"] {
  if (address === undefined) return {};
  const host = URL.parse(address)?.hostname ?? "";
  return { authorityHost: address, disableInstanceDiscovery: !KNOWN_AUTHORITIES.includes(host) };
}

/** A service principal with a secret or a certificate. */
function fromEnvironment(
  sdk: Sdk,
  { env, tenantId, clientId, authority }: SourceSettings,
): TokenCredential | MissingSource {
  const secret = valueOf(env, "AZURE_CLIENT_SECRET");
  const certificatePath = valueOf(env, "AZURE_CLIENT_CERTIFICATE_PATH");
  if (tenantId === undefined || clientId === undefined)
    return notSet({ AZURE_TENANT_ID: tenantId, AZURE_CLIENT_ID: clientId });
  if (secret !== undefined) return new sdk.ClientSecretCredential(tenantId, clientId, secret, authority);
  if (certificatePath === undefined)
    return { missing: "AZURE_CLIENT_SECRET or AZURE_CLIENT_CERTIFICATE_PATH is not set" };
  const certificatePassword = valueOf(env, "AZURE_CLIENT_CERTIFICATE_PASSWORD");
  const certificate = { certificatePath, ...defined({ certificatePassword }) };
  return new sdk.ClientCertificateCredential(tenantId, clientId, certificate, authority);
}

/** A federated token in a file. */
function workloadIdentity(
  sdk: Sdk,
  { env, tenantId, clientId, authority }: SourceSettings,
): TokenCredential | MissingSource {
  const tokenFilePath = valueOf(env, "AZURE_FEDERATED_TOKEN_FILE");
  if (tokenFilePath === undefined || tenantId === undefined || clientId === undefined)
    return notSet({
      AZURE_FEDERATED_TOKEN_FILE: tokenFilePath,
      AZURE_TENANT_ID: tenantId,
      AZURE_CLIENT_ID: clientId,
    });
  return new sdk.WorkloadIdentityCredential({ tenantId, clientId, tokenFilePath, ...authority });
}

/** The machine's own identity; the client id names a user-assigned one. */
function managedIdentity(sdk: Sdk, { clientId }: SourceSettings): TokenCredential {
  // Asking first whether there is such a service takes one second elsewhere, not asking takes a minute. The package
  // has this option and does not tell of it.
  const options = { sendProbeRequest: true, ...defined({ clientId }) };
  return new sdk.ManagedIdentityCredential(options);
}

function notSet(variables: Readonly<Record<string, string | undefined>>): MissingSource {
  const names = Object.keys(variables).filter((name) => variables[name] === undefined);
  return { missing: `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} not set` };
}

async function editor(sdk: Sdk): Promise<TokenCredential | MissingSource> {
  const missing = await usePlugin(sdk, "@azure/identity-vscode", "vsCodePlugin");
  return missing ?? new sdk.VisualStudioCodeCredential();
}

async function broker(sdk: Sdk): Promise<TokenCredential | MissingSource> {
  const missing = await usePlugin(sdk, "@azure/identity-broker", "nativeBrokerPlugin");
  if (missing !== undefined) return missing;
  return new sdk.InteractiveBrowserCredential({
    // The broker is asked in silence, or not at all.
    disableAutomaticAuthentication: true,
    brokerOptions: { enabled: true, useDefaultBrokerAccount: true, parentWindowHandle: new Uint8Array() },
  });
}

type Plugin = Parameters<Sdk["useIdentityPlugin"]>[0];

/** Loads a plug-in of the package. Gives what is missing when that is not possible; no plug-in is a dependency. */
async function usePlugin(sdk: Sdk, name: string, member: string): Promise<MissingSource | undefined> {
  try {
    const module = (await import(name)) as Readonly<Record<string, Plugin | undefined>>;
    const plugin = module[member];
    if (plugin === undefined) return { missing: `the package ${name} has no ${member}` };
    sdk.useIdentityPlugin(plugin);
    return undefined;
  } catch (thrown) {
    const [line = ""] = messageOf(thrown).split(/[\r\n]/);
    const isThere = systemErrorCode(thrown) !== "ERR_MODULE_NOT_FOUND" || !line.includes(`'${name}'`);
    return {
      missing: isThere
        ? `the package ${name} cannot be loaded: ${line}`
        : `the package ${name} is not installed beside the agent`,
    };
  }
}
