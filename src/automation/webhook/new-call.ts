import { defined } from "../../shared/json/defined.ts";
import type { WebhookCall } from "./calls.ts";
import { questionOf } from "./payload.ts";
import type { WebhookRoute } from "./route.ts";
import { defaultPrompt, renderExtra, renderTemplate, RAW_LIMIT } from "./template.ts";
import { boundedJson } from "./bounded-json.ts";

/** An event that a route accepts. */
export interface WebhookEvent {
  readonly route: WebhookRoute;
  readonly payload: unknown;
  readonly event: string;
  readonly deliveryId: string;
  readonly signature: string | undefined;
}

interface CallOptions {
  readonly now: number;
  readonly waits: boolean;
  readonly callbackUrl: string | undefined;
  readonly loadSkill: (name: string) => Promise<string | undefined>;
}

const LONGEST_SESSION_ID = 230;

/** Makes the call of an event: all that any process needs to carry it out. */
export async function newCall(incoming: WebhookEvent, options: CallOptions): Promise<WebhookCall> {
  const { route, payload, event, deliveryId, signature } = incoming;
  const { now, waits, callbackUrl } = options;
  const text = promptOf(incoming);
  const skill = route.deliverOnly ? "" : await firstSkill(route.skills, options.loadSkill);
  return {
    key: `${route.name}\n${deliveryId}`,
    route: route.name,
    event,
    deliveryId,
    acceptedAt: now,
    status: "accepted",
    prompt: skill === "" ? text : `${skill}\n\n${text}`,
    sessionId: `webhook:${route.name}:${deliveryId}`.slice(0, LONGEST_SESSION_ID),
    direct: route.deliverOnly,
    waits,
    deliver: route.deliver,
    deliverExtra: renderExtra(route.deliverExtra, { payload, event }),
    ...defined({ signature, callbackUrl, toolsets: route.toolsets }),
  };
}

function promptOf({ route, payload, event }: WebhookEvent): string {
  if (route.builtIn) return questionOf(payload) ?? boundedJson(payload, RAW_LIMIT);
  if (route.prompt === undefined || route.prompt === "") return defaultPrompt({ payload, event }, route.name);
  return renderTemplate(route.prompt, { payload, event });
}

async function firstSkill(names: readonly string[], load: CallOptions["loadSkill"]): Promise<string> {
  for (const name of names) {
    const text = await load(name);
    if (text !== undefined) return `<skill name="${name}">\n${text.trim()}\n</skill>`;
  }
  return "";
}
