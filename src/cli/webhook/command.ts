import { Command } from "commander";
import type { SubscribeFlags } from "./subscriptions.ts";
import { type Bind, json, number } from "../flags.ts";

/** `agent webhook`: routes that are made by command, and what came and went. */
export function webhookCommand(bind: Bind): Command {
  const webhook = new Command("webhook").description("let other software's events reach the agent");
  addSubscribe(webhook, bind);
  webhook
    .command("list", { isDefault: true })
    .alias("ls")
    .description("list the subscriptions")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, _args, flags) => {
        const { listSubscriptions } = await import("./subscriptions.ts");
        return await listSubscriptions(io, flags);
      }),
    );
  webhook
    .command("remove")
    .alias("rm")
    .description("remove a subscription")
    .argument("<name>")
    .action(
      bind(async (io, [name = ""]) => {
        const { removeSubscription } = await import("./subscriptions.ts");
        return await removeSubscription(io, name);
      }),
    );
  webhook
    .command("test")
    .description("send a signed test event to the running gateway")
    .argument("<name>")
    .option("--payload <json>", "what to send")
    .action(
      bind<{ payload?: string }>(async (io, [name = ""], flags) => {
        const { testSubscription } = await import("./subscriptions.ts");
        return await testSubscription(io, { name, ...flags });
      }),
    );
  webhook.addCommand(deliveriesCommand(bind));
  return webhook;
}

function addSubscribe(webhook: Command, bind: Bind): void {
  webhook
    .command("subscribe")
    .alias("add")
    .description("make a route, or change one and keep its secret; live at once")
    .argument("<name>", "the last part of its address")
    .option("--events <types>", "comma list of accepted event types; all by default")
    .option("--prompt <template>", "what the agent is asked; {a.b} stands for the payload's values")
    .option("--skills <names>", "comma list; the first one that exists is loaded")
    .option("--secret <secret>", "a random one by default")
    .option("--deliver <target>", "where the answer goes: log, email, a platform, …")
    .option("--deliver-chat-id <id>", "the chat there; the platform's home by default")
    .option("--deliver-only", "deliver the rendered prompt itself, without the agent")
    .option("--description <text>", "for people")
    .action(
      bind<SubscribeFlags>(async (io, [name = ""], flags) => {
        const { subscribe } = await import("./subscriptions.ts");
        return await subscribe(io, { name, ...flags });
      }),
    );
}

function deliveriesCommand(bind: Bind): Command {
  const deliveries = new Command("deliveries").description(
    "what was received and sent, and what became of it",
  );
  deliveries
    .command("list", { isDefault: true })
    .description("the newest first")
    .option("-n, --limit <count>", "at most so many of each", number, 20)
    .option("--route <name>", "only what was received on one route")
    .option("--failed", "only what failed", false)
    .addOption(json())
    .action(
      bind<{ json: boolean; limit: number; failed: boolean; route?: string }>(async (io, _args, flags) => {
        const { listDeliveries } = await import("./deliveries.ts");
        return await listDeliveries(io, flags);
      }),
    );
  deliveries
    .command("show")
    .description("all that is known of one")
    .argument("<id>")
    .action(
      bind(async (io, [id = ""]) => {
        const { showDelivery } = await import("./deliveries.ts");
        return await showDelivery(io, id);
      }),
    );
  deliveries
    .command("redeliver")
    .description("send a text again")
    .argument("<id>")
    .action(
      bind(async (io, [id = ""]) => {
        const { redeliver } = await import("./deliveries.ts");
        return await redeliver(io, id);
      }),
    );
  return deliveries;
}
