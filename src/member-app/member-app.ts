import type { HostError, Records, Services, UserSessions } from "../core/index.ts";
import { addRoutes } from "../http/server/api-route.ts";
import type { HttpApp } from "../http/server/context.ts";
import { EventStreams } from "../http/server/event-streams.ts";
import type { AccessCheck } from "../http/server/middleware.ts";
import { withoutSlash } from "../http/server/middleware.ts";
import { openApiRoute } from "../http/server/openapi.ts";
import { OWN_CONVERSATION_ROUTES } from "./api/conversation-routes.ts";
import { EVENT_ROUTES } from "./api/event-routes.ts";
import type { MemberApi, MemberRoute } from "./api/member-api.ts";
import { OwnConversations } from "./api/own-conversations.ts";
import { PROMPT_ROUTES } from "./api/prompt-routes.ts";
import { PUSH_ROUTES } from "./api/push-routes.ts";
import { ReadMarks } from "./api/read-marks.ts";
import { SentPrompts } from "./api/sent-prompts.ts";
import { DEVICE_ROUTES } from "./api/sign-in-routes.ts";
import { type PushPorts, Pushes } from "./push/pushes.ts";
import { APP_PREFIX, memberAccess } from "./server/member-access.ts";
import { Devices } from "./sign-in/devices.ts";
import { MemberSignIn, type MemberSignInParts } from "./sign-in/member-sign-in.ts";
import type { Members } from "./sign-in/members.ts";
import { OneTimeCodes } from "./sign-in/one-time-codes.ts";
import { SECURE_COOKIE } from "./sign-in/device-cookie.ts";

/** The parts of the members' app. */
export interface MemberAppOptions {
  readonly records: Records;
  readonly services: Pick<Services, "clock" | "hex" | "store">;
  /** The only door to sessions. */
  readonly of: (user: string) => UserSessions;
  readonly members: Members;
  readonly sendCode: MemberSignInParts["sendCode"];
  readonly signedIn: MemberSignInParts["signedIn"];
  readonly report: (error: HostError) => void;
  /** Whose memory a member's prompts read and write; the owner's when it is none. */
  readonly scopeOf: (user: string) => Promise<string | undefined>;
  readonly push: PushPorts;
  /** Absolute; the folder in which conversations are. */
  readonly cwd: string;
}

/** The app that gives each member a private chat, as a server takes it in. */
export interface MemberApp {
  /** The beginning of the paths that are its own to check. */
  readonly prefix: string;
  readonly check: AccessCheck;
  addTo(app: HttpApp): void;
  readonly devices: Devices;
  readonly pushes: Pushes;
  /** Begins to tell devices of what happens while their app is closed. */
  start(): void;
  /** Tells all readers that the server goes. */
  sayGoodbye(): void;
  close(): Promise<void>;
}

/** Comments often enough for the proxies of phone networks. */
const STREAMS = { keepAliveMs: 15_000, stallMs: 60_000 } as const;

const DOCUMENT = {
  address: "GET /app/api/openapi.json",
  title: "Agent app",
  version: "1",
  security: { cookie: { type: "apiKey", in: "cookie", name: SECURE_COOKIE } },
} as const;

/** Makes the members' app of a home. */
export function openMemberApp(options: MemberAppOptions): MemberApp {
  const { records, services, of, members, sendCode, signedIn, report, scopeOf, push, cwd } = options;
  const { clock } = services;
  const devices = new Devices(records, clock);
  const codes = new OneTimeCodes(records, clock);
  const signIn = new MemberSignIn({ members, codes, devices, sendCode, signedIn, report });
  const streams = new EventStreams(clock, STREAMS);
  const prompts = new SentPrompts({ records, services, scopeOf });
  const read = new ReadMarks(records);
  const { store } = services;
  const pushes = new Pushes({ records, store, clock, devices, read, report, ...push });
  const api: MemberApi = {
    services,
    of: (user) => new OwnConversations(of(user), cwd),
    signIn,
    devices,
    prompts,
    streams,
    read,
    pushes,
  };
  const routes: readonly MemberRoute[] = [
    openApiRoute<MemberApi>(DOCUMENT, () => routes),
    ...DEVICE_ROUTES,
    ...OWN_CONVERSATION_ROUTES,
    ...PROMPT_ROUTES,
    ...EVENT_ROUTES,
    ...PUSH_ROUTES,
  ];
  const open = new Set(routes.flatMap((route) => (route.open === true ? [route.path] : [])));
  return {
    prefix: APP_PREFIX,
    check: memberAccess(signIn, (path) => open.has(withoutSlash(path))),
    addTo: (app) => addRoutes(app, api, routes),
    devices,
    pushes,
    start: () => pushes.start(),
    sayGoodbye: () => streams.close("The server is shutting down."),
    close: async () => {
      streams.close("The server is shutting down.");
      await pushes[Symbol.asyncDispose]();
      await signIn.close();
    },
  };
}
