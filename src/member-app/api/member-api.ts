import { z } from "zod";
import type { Services } from "../../core/index.ts";
import { type ApiRoute, type Operation, route } from "../../http/server/api-route.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { decode } from "../../http/server/decode.ts";
import type { EventStreams } from "../../http/server/event-streams.ts";
import { readJsonObject } from "../../http/server/json-body.ts";
import type { Devices } from "../sign-in/devices.ts";
import type { MemberSignIn, SignedInMember } from "../sign-in/member-sign-in.ts";
import { signedInAt } from "../server/member-access.ts";
import type { OwnConversations } from "./own-conversations.ts";
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
}

/** A route of the app. */
export type MemberRoute = ApiRoute<MemberApi>;

const MOST_BODY_BYTES = 64 * 1024;

/** Reads and checks a request's body. @throws HttpError 400, 413, 415 */
export async function bodyOf<Schema extends z.ZodType>(
  c: HttpContext,
  schema: Schema,
  maxBodyBytes = MOST_BODY_BYTES,
): Promise<z.output<Schema>> {
  return decode(schema, await readJsonObject(c, { maxBodyBytes }, {}));
}

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

/** The answer of what has none to give. */
export const Done = z.object({ ok: z.literal(true) }).meta({ title: "Done" });
