import type { Services } from "../../core/index.ts";
import { type ApiRoute, type Operation, route } from "../../http/server/api-route.ts";
import type { HttpContext } from "../../http/server/context.ts";
import type { EventStreams } from "../../http/server/event-streams.ts";
import type { Devices } from "../sign-in/devices.ts";
import type { MemberSignIn, SignedInMember } from "../sign-in/member-sign-in.ts";
import { signedInAt } from "../server/member-access.ts";
import type { OwnConversations } from "./own-conversations.ts";
import type { Pushes } from "../push/pushes.ts";
import type { ReadMarks } from "./read-marks.ts";
import type { SentPrompts } from "./sent-prompts.ts";

/** The parts of the app that its routes work with. */
export interface MemberApi {
  readonly services: Pick<Services, "store" | "clock" | "hex">;
  /** The only door to sessions. */
  readonly of: (user: string) => OwnConversations;
  readonly signIn: MemberSignIn;
  readonly devices: Devices;
  readonly prompts: SentPrompts;
  readonly streams: EventStreams;
  readonly read: ReadMarks;
  readonly pushes: Pushes;
}

/** A route of the app. */
export type MemberRoute = ApiRoute<MemberApi>;

/** A request of somebody who is signed in. */
export interface MemberRequest extends SignedInMember {
  readonly c: HttpContext;
  readonly api: MemberApi;
  /** The value of the path's parameter; empty if it has none. */
  readonly id: string;
  /** Theirs alone. */
  readonly own: OwnConversations;
}

/** Declares a route for who is signed in. */
export const memberRoute = (
  address: `${"GET" | "POST" | "PATCH" | "DELETE"} /app/api/${string}`,
  handle: (request: MemberRequest) => Response | Promise<Response>,
  operation: Operation,
): MemberRoute =>
  route(
    address,
    (c, api: MemberApi, id) => {
      const { member, device } = signedInAt(c);
      return handle({ c, api, id, member, device, own: api.of(member.id) });
    },
    operation,
  );
