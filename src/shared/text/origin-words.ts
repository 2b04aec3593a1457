/** Where sessions come from that were begun by no chat, by the platform that holds them. */
const ORIGINS: Readonly<Record<string, string>> = {
  cli: "agent run",
  acp: "editor",
  api_server: "API",
  webhook: "webhook",
  job: "job",
  library: "program",
};

/** The clients of this program. */
const OWN_CLIENTS = new Set(["tui", "cli"]);

/** Says where a session comes from; nothing for a chat of the terminal, and its name for one of another client. */
export function originWords({
  platform,
  source,
}: {
  readonly platform: string;
  readonly source: string;
}): string {
  return ORIGINS[platform] ?? (OWN_CLIENTS.has(source) ? "" : source);
}
