import { argument, command, commandGroup, JSON_FLAG } from "../command.ts";

const KEY = argument("<key>", "its place in config.yaml, such as approvals.mode");

/** `agent config`: where the settings are, and single ones of them. */
export const CONFIG_COMMAND = commandGroup("config", "the settings: where they are, read one, change one", [
  command("list", "say where the settings are, and show config.yaml without its secrets", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./config.ts")).listConfig,
  }),
  command("get", "print a setting of config.yaml", {
    takes: { key: KEY, json: JSON_FLAG },
    help: "Exit code 1 when it is not set: the configuration reference has the defaults.",
    load: async () => (await import("./config.ts")).getSetting,
  }),
  command("set", "change a setting of config.yaml; null takes the default", {
    takes: { key: KEY, value: argument("<value>", "as it would stand in the file") },
    help: "Comments of the file stay. Secrets belong into .env: `agent setup` asks for them.",
    load: async () => (await import("./config.ts")).setSetting,
  }),
]);
