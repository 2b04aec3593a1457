import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { acpAgent } from "./acp.ts";
import type { Subject } from "./agent.ts";
import { opencode } from "./opencode.ts";

/** A peer as npm has it. */
export interface Peer {
  readonly package: string;
  readonly version: string;
  subject(modules: string): Subject | undefined;
}

const PLATFORM = `${process.platform}-${process.arch}`;

const CODEX = `model = "test-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.mock]
name = "mock"
base_url = "{model}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
`;

/** Agents that a person can install, and how each is started here: without a network, on the scripted model. */
export const PEERS: readonly Peer[] = [
  {
    package: "opencode-ai",
    version: "1.18.33",
    // The package's own command asks for its install script: the program that it would link is started instead.
    subject: (modules) =>
      program(
        join(modules, `opencode-${PLATFORM}/bin/opencode`),
        opencode,
        versionOf(modules, "opencode-ai"),
      ),
  },
  {
    package: "@zed-industries/codex-acp",
    version: "0.16.0",
    subject: (modules) =>
      program(
        join(modules, `@zed-industries/codex-acp-${PLATFORM}/bin/codex-acp`),
        (file, version) =>
          acpAgent({
            id: "codex",
            name: "codex-acp",
            version,
            command: [file],
            env: { CODEX_HOME: "{home}/.codex", MOCK_KEY: "k" },
            files: { ".codex/config.toml": CODEX },
          }),
        versionOf(modules, "@zed-industries/codex-acp"),
      ),
  },
];

/** The command that installs the peers into a folder. */
export const installCommand = (folder: string): string =>
  `npm install --ignore-scripts --prefix ${folder} ${PEERS.map((peer) => `${peer.package}@${peer.version}`).join(" ")}`;

/** The subject of a peer; `undefined` where it is not installed. */
export const peerSubject = (peer: Peer, folder: string): Subject | undefined =>
  peer.subject(resolve(folder, "node_modules"));

function program(
  file: string,
  make: (file: string, version: string) => Subject,
  version: string,
): Subject | undefined {
  return existsSync(file) ? make(file, version) : undefined;
}

function versionOf(modules: string, name: string): string {
  const file = join(modules, name, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version : "";
}
