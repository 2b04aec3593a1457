export { WebhookCalls, type WebhookCall } from "./calls.ts";
export { CALLBACK_TARGET, callbackSender } from "./callback.ts";
export { webhookConnector } from "./connector.ts";
export { decodeRoute, ROUTE_NAME, type WebhookRoute } from "./route.ts";
export { checkRoute, decodeWebhookSettings, type WebhookSettings } from "./settings.ts";
export { readSubscriptions, type Subscriptions, subscriptionReader } from "./subscriptions.ts";
export { WebhookWorker } from "./worker.ts";
