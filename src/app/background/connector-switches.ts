/** The variables that go before config.yaml in deciding whether a server is on, by its key in `platforms`. */
export const CONNECTOR_SWITCHES: Readonly<Record<string, string>> = {
  api_server: "API_SERVER_ENABLED",
  webhook: "WEBHOOK_ENABLED",
};
