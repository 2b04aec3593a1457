import { join } from "node:path";
import { readSubscriptions, type Subscriptions } from "../../automation/webhook/index.ts";
import { type HomeFile, homeFile } from "../config/home-file.ts";

export const subscriptionPath = (home: string): string => join(home, "webhook_subscriptions.json");

/** The webhook routes of a home that were made by command. */
export const subscriptionFile = (home: string): HomeFile<Subscriptions> =>
  homeFile(subscriptionPath(home), readSubscriptions);
