export { Fleet, type FleetStatus } from "./fleet.ts";
export { FLEET_PATH, fleetApp } from "./status-server.ts";
export { HeartbeatSender } from "./heartbeat-sender.ts";
