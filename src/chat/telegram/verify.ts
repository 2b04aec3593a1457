import { secretCheck } from "../../shared/crypto/secret-check.ts";
import type { WebhookRequest } from "../port/channel.ts";

/** Whether a request carries the secret that the webhook was set with. */
export const isGenuine = (secret: string, { headers }: WebhookRequest): boolean =>
  secret !== "" && secretCheck(secret)(headers["x-telegram-bot-api-secret-token"] ?? "");
