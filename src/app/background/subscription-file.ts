import { readSubscriptions, type Subscriptions } from "../../automation/webhook/index.ts";
import { type HomeFile, homeFile, type HomeTexts } from "../config/home-texts.ts";

export const SUBSCRIPTION_FILE = "webhook_subscriptions.json";

/** The webhook routes of a home that were made by command. */
export const subscriptionFile = (texts: HomeTexts): HomeFile<Subscriptions> =>
  homeFile(texts, SUBSCRIPTION_FILE, readSubscriptions);
