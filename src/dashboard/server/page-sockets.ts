import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../core/index.ts";
import { refuseConnection } from "../../shared/net/bare-answer.ts";
import { hostCheck } from "../../http/server/hosts.ts";
import type { AuditDraft } from "../audit/audit-log.ts";
import type { CookieSessions } from "../sign-in/cookie-sessions.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import { cookieToken } from "./cookie.ts";
import { arrivalOfHandshake, isOwnOrigin } from "./visitor.ts";

/** A function that takes over the connection of a page, for who is signed in there. */
export type TakeOver = (
  handshake: { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
  actor: Pick<AuditDraft, "who" | "from">,
) => void;

/** The parts of the pages' WebSockets. */
interface PageSocketParts {
  readonly signIn: Pick<SignIn, "find">;
  readonly sessions: Pick<CookieSessions, "list">;
  readonly hostNames: readonly string[];
  readonly clock: Clock;
  readonly takeOver: TakeOver;
}

const PATH = "/dashboard/api/ws";
/** Somebody who was signed out in another process loses the connection so late at most. */
const LOOK_MS = 30_000;

/** The WebSockets of pages: each belongs to somebody who is signed in, and ends with that. */
export class PageSockets {
  readonly #parts: PageSocketParts;
  readonly #isOurs: (host: string | undefined) => boolean;
  readonly #open = new Map<Duplex, string>();
  #stopLooking: () => void = () => undefined;

  constructor(parts: PageSocketParts) {
    this.#parts = parts;
    this.#isOurs = hostCheck(parts.hostNames);
    this.#lookLater();
  }

  /** Takes a request for a connection, or refuses it. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (request.url?.split("?", 1)[0] !== PATH)
      return refuseConnection(socket, {
        status: 404,
        code: "not_found",
        message: "There is no WebSocket here.",
      });
    const arrival = arrivalOfHandshake(request);
    const token = cookieToken(request.headers.cookie, arrival);
    // Any page may open a WebSocket anywhere, and the browser sends the cookie along: the origin decides.
    if (!this.#isOurs(request.headers.host) || !isOwnOrigin(request.headers.origin, arrival))
      return refuseConnection(socket, { status: 403, message: "Only pages of this server may connect." });
    const session = token === undefined ? undefined : await this.#parts.signIn.find(token);
    // A page that left while its cookie was looked up has said so already.
    if (socket.destroyed) return;
    if (session === undefined) return refuseConnection(socket, { status: 401, message: "Sign in first." });
    this.#open.set(socket, session.id);
    socket.on("close", () => void this.#open.delete(socket));
    this.#parts.takeOver({ request, socket, head }, { who: session.who, from: arrival.address });
  }

  /** Ends the connections of a sign-in. */
  end(id: string): void {
    for (const [socket, session] of this.#open) {
      if (session !== id) continue;
      this.#open.delete(socket);
      socket.destroy();
    }
  }

  close(): void {
    this.#stopLooking();
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #lookLater(): void {
    this.#stopLooking = this.#parts.clock.after(LOOK_MS, () => {
      this.#look()
        // The store is away: what cannot be asked now is asked the next time.
        .catch(() => undefined)
        .finally(() => this.#lookLater());
    });
  }

  async #look(): Promise<void> {
    if (this.#open.size === 0) return;
    const there = new Set((await this.#parts.sessions.list()).map(({ id }) => id));
    for (const id of new Set(this.#open.values())) if (!there.has(id)) this.end(id);
  }
}
