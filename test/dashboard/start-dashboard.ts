import type { CommandStage } from "../kit/command.ts";

/** Starts `agent dashboard` on a free port, and gives the address that it prints. */
export async function startDashboard(stage: CommandStage): Promise<string> {
  stage.env["DASHBOARD_PORT"] = "0";
  return stage.serve(["dashboard", "--print-only"]).line((line) => line.startsWith("http"));
}
