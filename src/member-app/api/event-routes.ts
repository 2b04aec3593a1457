import type { Session } from "../../core/index.ts";
import { countOf } from "../../http/server/decode.ts";
import { encodeSse } from "../../http/server/encode-sse.ts";
import type { MemberSignIn, SignedInMember } from "../sign-in/member-sign-in.ts";
import { encodeEvent } from "./encode-event.ts";
import { type MemberApi, memberRoute, type MemberRoute } from "./member-api.ts";

const START = { otherwise: 0, most: Number.MAX_SAFE_INTEGER } as const;
/** Somebody who is signed out in another process gets no more so late at most. */
const LOOK_MS = 15_000;

/** Declares the event stream of a conversation. */
export const EVENT_ROUTES: readonly MemberRoute[] = [
  memberRoute(
    "GET /app/api/conversations/{conversation_id}/events",
    async ({ c, api, own, id, member, device }) => {
      const session = await own.session(id);
      const after = countOf(c.req.header("last-event-id") ?? c.req.query("after"), START);
      return api.streams.answer(
        c,
        (signal) => frames({ session, after, signal }, { api, who: { member, device } }),
        { failed: () => encodeSse({ event: "broken", data: "{}" }) },
      );
    },
    {
      id: "followConversation",
      summary: "The events of a conversation as they come, after `Last-Event-ID` or `after`",
      stream: "always",
      query: ["after"],
      headers: ["Last-Event-ID"],
    },
  ),
];

interface Reading {
  readonly session: Session;
  readonly after: number;
  readonly signal: AbortSignal;
}

interface Reader {
  readonly api: Pick<MemberApi, "signIn" | "devices" | "services" | "pushes">;
  readonly who: SignedInMember;
}

async function* frames({ session, after, signal }: Reading, reader: Reader): AsyncGenerator<string, void> {
  const life = new AbortController();
  const until = AbortSignal.any([signal, life.signal]);
  const leave = whileSignedIn(reader, life);
  const close = reader.api.pushes.open.enter(reader.who.member.id);
  try {
    // At once, so that the page knows that it is connected.
    yield encodeSse({ event: "open", data: "{}" });
    for await (const event of session.events({ after, signal: until, live: false })) yield encodeEvent(event);
  } finally {
    close();
    leave();
  }
}

/** Ends a life with the sign-in that it belongs to, in this process or in another one. */
function whileSignedIn({ api, who }: Reader, life: AbortController): () => void {
  const forget = api.devices.onEnd((id) => {
    if (id === who.device.id) life.abort();
  });
  let stop = (): void => undefined;
  const look = (signIn: MemberSignIn): void => {
    stop = api.services.clock.after(LOOK_MS, () => {
      void signIn
        .holds(who)
        .then((holds) => (holds ? look(signIn) : life.abort()))
        .catch(() => life.abort());
    });
  };
  look(api.signIn);
  return () => {
    forget();
    stop();
    life.abort();
  };
}
