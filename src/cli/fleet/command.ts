import { Command } from "commander";
import type { FrontFlags } from "../front/front.ts";
import type { IncidentFlags } from "./fleet.ts";
import { type Bind, json, number } from "../flags.ts";

/** `agent front`. */
export function frontCommand(bind: Bind): Command {
  return new Command("front")
    .description(
      "the address of a deployment: passes /v1/ and /webhooks/ on to the connectors of this machine",
    )
    .option("--host <address>", "where it listens; all addresses by default")
    .option("--port <port>", "443 with TLS, 8443 without", number)
    .option("--plain", "http instead of https")
    .action(
      bind<FrontFlags>(async (io, _args, flags) => {
        const { front } = await import("../front/front.ts");
        return await front(io, flags);
      }),
    );
}

/** `agent fleet`: the public status of many instances. */
export function fleetCommand(bind: Bind): Command {
  const fleet = new Command("fleet").description("the public status of a fleet of gateways");
  addInstances(fleet, bind);
  fleet
    .command("serve")
    .description("serve the status and take heartbeats")
    .option("--listen <host:port>", "where", "127.0.0.1:8650")
    .action(
      bind<{ listen: string }>(async (io, _args, { listen }) => {
        const { readAddress, serveFleet } = await import("./fleet.ts");
        return await serveFleet(io, readAddress(listen));
      }),
    );
  fleet.addCommand(incidentCommand(bind));
  return fleet;
}

function addInstances(fleet: Command, bind: Bind): void {
  fleet
    .command("status", { isDefault: true })
    .description("which instances were heard of in the last five minutes")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, _args, flags) => {
        const { showFleet } = await import("./fleet.ts");
        return await showFleet(io, flags);
      }),
    );
  fleet
    .command("add")
    .description("register an instance and print its token")
    .argument("<name>")
    .action(
      bind(async (io, [name = ""]) => {
        const { addInstance } = await import("./fleet.ts");
        return await addInstance(io, name);
      }),
    );
  fleet
    .command("remove")
    .alias("rm")
    .description("expect an instance no longer")
    .argument("<name>")
    .action(
      bind(async (io, [name = ""]) => {
        const { removeInstance } = await import("./fleet.ts");
        return await removeInstance(io, name);
      }),
    );
  fleet
    .command("gaps")
    .description("when instances were not heard of; nobody else sees this")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, _args, flags) => {
        const { listGaps } = await import("./fleet.ts");
        return await listGaps(io, flags);
      }),
    );
}

function incidentCommand(bind: Bind): Command {
  const incident = new Command("incident").description("what the public is told");
  incident
    .command("list", { isDefault: true })
    .description("the newest first")
    .action(
      bind(async (io) => {
        const { listIncidents } = await import("./fleet.ts");
        return await listIncidents(io);
      }),
    );
  incident
    .command("open")
    .description("make an incident public")
    .argument("<title>")
    .option("--text <text>", "more about it")
    .option("--gap <id>", "it began with this gap of `agent fleet gaps`")
    .action(
      bind<IncidentFlags>(async (io, [title = ""], flags) => {
        const { openIncident } = await import("./fleet.ts");
        return await openIncident(io, { title, ...flags });
      }),
    );
  incident
    .command("resolve")
    .description("say that it is over")
    .argument("<id>")
    .action(
      bind(async (io, [id = ""]) => {
        const { resolveIncident } = await import("./fleet.ts");
        return await resolveIncident(io, id);
      }),
    );
  return incident;
}
