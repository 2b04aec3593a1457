export { Fleet, type FleetStatus } from "./fleet.ts";
export { PANEL_PATH, panelApp } from "./panel.ts";
export { Reporter } from "./reporter.ts";
