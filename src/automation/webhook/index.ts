export { WebhookCalls, type WebhookCall } from "./calls.ts";
export { CALLBACK_TARGET, callbackSender, signedHeaders } from "./callback.ts";
export { type ChatReceiver, webhookConnector } from "./connector.ts";
export { type ReceivedCall, ReceivedCalls } from "./received-calls.ts";
export { decodeRoute, ROUTE_NAME, RouteWire, type WebhookRoute } from "./route.ts";
export { checkRoute, decodeWebhookSettings, type WebhookSettings, WebhookWire } from "./settings.ts";
export { readSubscriptions, type Subscriptions, subscriptionReader } from "./subscriptions.ts";
export { WebhookWorker } from "./worker.ts";
