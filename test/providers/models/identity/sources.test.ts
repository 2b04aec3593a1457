import * as sdk from "@azure/identity";
import { expect, test } from "vitest";
import { identitySources } from "../../../../src/providers/models/identity/sources.ts";

const ORDER = [
  "environment",
  "workload identity",
  "managed identity",
  "editor extension",
  "command-line login",
  "developer-tool login",
  "shell-module login",
];

const names = (platform: string, env: Readonly<Record<string, string>> = {}): readonly string[] =>
  identitySources({ env, platform }).map(({ name }) => name);

test("the sources are asked in the documented order, the desktop broker last and on Windows only", () => {
  expect(names("linux")).toEqual(ORDER);
  expect(names("darwin")).toEqual(ORDER);
  expect(names("win32")).toEqual([...ORDER, "desktop broker"]);
  expect(names("linux", { WSL_DISTRO_NAME: "Ubuntu" })).toEqual([...ORDER, "desktop broker"]);
});

const PRINCIPAL = { AZURE_TENANT_ID: "11111111-1111-1111-1111-111111111111", AZURE_CLIENT_ID: "client" };

/** The kinds of credentials that are opened, by the names of their classes. */
const opened = async (
  env: Readonly<Record<string, string>>,
  platform = "win32",
): Promise<readonly string[]> => {
  const sources = identitySources({ env, platform });
  const credentials = await Promise.all(sources.map(async (source) => await source.open(sdk)));
  return credentials.flatMap((credential) => ("missing" in credential ? [] : [credential.constructor.name]));
};

/** The sources that cannot be asked, and what is missing for each. */
const missing = async (
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Partial<Record<string, string>>>> => {
  const found = identitySources({ env, platform: "win32" }).map(async (source) => {
    const opened = await source.open(sdk);
    return "missing" in opened ? [[source.name, opened.missing] as const] : [];
  });
  return Object.fromEntries((await Promise.all(found)).flat());
};

const ALWAYS = [
  "ManagedIdentityCredential",
  "AzureCliCredential",
  "AzureDeveloperCliCredential",
  "AzurePowerShellCredential",
];

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ["without variables and plug-ins, the ones that need none", {}, ALWAYS],
  [
    "with a secret, a service principal first",
    { ...PRINCIPAL, AZURE_CLIENT_SECRET: "s" },
    ["ClientSecretCredential", ...ALWAYS],
  ],
  [
    "with a certificate, a service principal first",
    { ...PRINCIPAL, AZURE_CLIENT_CERTIFICATE_PATH: "/c.pem" },
    ["ClientCertificateCredential", ...ALWAYS],
  ],
  [
    "with a federated token, a workload identity first",
    { ...PRINCIPAL, AZURE_FEDERATED_TOKEN_FILE: "/token" },
    ["WorkloadIdentityCredential", ...ALWAYS],
  ],
  ["with half a principal, none of it", { AZURE_CLIENT_ID: "client", AZURE_CLIENT_SECRET: "s" }, ALWAYS],
])("%s", async (_title, env, expected) => {
  expect(await opened(env)).toEqual(expected);
});

test("no source opens a browser", async () => {
  for (const platform of ["linux", "win32"])
    expect(await opened(PRINCIPAL, platform)).not.toContain("InteractiveBrowserCredential");
});

test("a source that cannot be asked names the package or the variables that it lacks", async () => {
  const plugins = {
    "editor extension": "the package @azure/identity-vscode is not installed beside the agent",
    "desktop broker": "the package @azure/identity-broker is not installed beside the agent",
  };
  expect(await missing({})).toEqual({
    ...plugins,
    environment: "AZURE_TENANT_ID and AZURE_CLIENT_ID are not set",
    "workload identity": "AZURE_FEDERATED_TOKEN_FILE and AZURE_TENANT_ID and AZURE_CLIENT_ID are not set",
  });
  expect(await missing(PRINCIPAL)).toEqual({
    ...plugins,
    environment: "AZURE_CLIENT_SECRET or AZURE_CLIENT_CERTIFICATE_PATH is not set",
    "workload identity": "AZURE_FEDERATED_TOKEN_FILE is not set",
  });
});
