import type { Services } from "../../core/index.ts";
import type { Sender } from "../../automation/delivery/index.ts";
import type { AuditLog } from "../../dashboard/index.ts";
import { type MemberApp, openMemberApp } from "../../member-app/index.ts";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { postEvent } from "../background/post-event.ts";
import { checkEventUrl, eventFetcher } from "../web/fetchers.ts";
import { pushKeys } from "./push-keys.ts";
import type { Agent } from "../compose.ts";

/** The ways of the app to phones, and to who looks after the home. */
export interface MemberAppPorts {
  /** The sender of texts to phones, if one is set up. */
  readonly sms: () => Sender | undefined;
  readonly audit: AuditLog;
}

/** Makes the members' app of a home. */
export function memberApp(
  { host, store, settings, texts, live, people }: Agent,
  { sms, audit }: MemberAppPorts,
): MemberApp {
  const { services } = host;
  const { roster } = people;
  const byId = async (id: string) => {
    const user = await roster.find(id);
    if (user !== undefined) await roster.noteSeen(user);
    return user;
  };
  return openMemberApp({
    records: store.records,
    services,
    of: (user) => host.of(user),
    members: { byId, byMobile: (mobile) => roster.byMobile(mobile), isEmpty: () => roster.isEmpty() },
    sendCode: async (mobile, text, signal) => {
      try {
        await sendText({ sender: sms(), services }, { mobile, text }, signal);
      } catch (thrown) {
        // Whoever asked hears nothing of it: whoever looks after the home must be able to.
        const what = { action: "app.code-failed", subject: mobile, after: { why: messageOf(thrown) } };
        await audit.note({ who: "agent", from: "this machine", ...what });
        throw thrown;
      }
    },
    signedIn: ({ id, name }, { address: from }) =>
      audit.note({ who: name, from, action: "app.sign-in", subject: id }),
    report: services.report,
    scopeOf: async (id) => people.scopeOf((await roster.find(id)) ?? { id }),
    push: {
      keys: pushKeys(texts),
      post: postEvent(eventFetcher(live, services.clock)),
      checkUrl: (url) => checkEventUrl(live, url),
    },
    cwd: settings.paths.home,
  });
}

/** Sends a text at once, and never again: nobody waits for a code that comes later. */
async function sendText(
  { sender, services }: { readonly sender: Sender | undefined; readonly services: Services },
  { mobile, text }: { readonly mobile: string; readonly text: string },
  signal: AbortSignal,
): Promise<void> {
  if (sender === undefined)
    throw new HostError(
      "config_invalid",
      "Nobody can sign in at the app: codes go by text, and no sender is set. Set platforms.sms.",
    );
  const id = `code_${services.hex(8)}`;
  const source = { kind: "sign-in", id };
  const target = { kind: "sms", chatId: mobile };
  const createdAt = services.clock.now();
  await sender.send({ id, source, target, text, status: "pending", attempts: 0, createdAt }, signal);
}
