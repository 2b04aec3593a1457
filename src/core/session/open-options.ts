import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent, SettingsPatch } from "../events/events.ts";
import type { GivenMessage, Platform } from "../events/prompt.ts";
import type { Machines } from "../ports/machines.ts";
import { homeOf } from "./home-machine.ts";
import { checkTitle } from "../turn/title.ts";
import type { Past } from "./past.ts";

/** The options of a new session. */
export interface OpenOptions {
  /** An id of the caller's choice; the host makes one by default. */
  readonly id?: string;
  readonly platform?: Platform;
  /** The surface's name in lists; the platform's by default. */
  readonly source?: string;
  /** Absolute path of the workspace. */
  readonly cwd?: string;
  /** Absolute paths that tools may reach; the workspace by default. */
  readonly roots?: readonly string[];
  readonly title?: string;
  readonly parentId?: string;
  /** The levels below a person's session, for a subagent's. */
  readonly depth?: number;
  readonly allowed?: readonly string[];
  /** What it is told comes from a session that has read something secret. */
  readonly sensitive?: true;
  /** The user on the roster whose session it is. */
  readonly user?: string;
  readonly hidden?: boolean;
  readonly settings?: SettingsPatch;
  /** Messages from elsewhere: part of the conversation from the beginning. */
  readonly history?: readonly GivenMessage[];
  /** The past of another session: turns and all, as if they had happened here. Only for `Host.open`. */
  readonly past?: Past;
}

/** The options of a copy of a session. */
export interface BranchOptions {
  /** The next free numbered variant of the source's title by default. */
  readonly title?: string;
  readonly id?: string;
  /** The cursor of the turn's end at which the copy ends; the newest one by default. */
  readonly at?: number;
  /** The copy ends before this turn, by its number among the session's checkpoints, its id, or that of its prompt. */
  readonly before?: string | number;
  /** A session in which nothing was said yet is copied too; refused by default. */
  readonly evenEmpty?: boolean;
  /** As the source by default. */
  readonly hidden?: boolean;
  /** The name of what makes the copy, by which lists can be filtered; that of the copied session by default. */
  readonly source?: string;
}

/** The beginning of an absolute path, on any platform. */
const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i;

/**
 * The first events of a session.
 *
 * @throws HostError `invalid_title`; `invalid_params` for a folder that is no absolute path
 */
export function startEvents(options: OpenOptions, machines?: Machines): readonly DurableEvent[] {
  const title = options.title === undefined ? undefined : checkTitle(options.title);
  const platform = options.platform ?? "library";
  const cwd = options.cwd ?? "";
  // Programs without types give anything; it would stand in the log for good.
  if (typeof cwd !== "string" || (cwd !== "" && !ABSOLUTE.test(cwd)))
    throw new HostError("invalid_params", `cwd must be an absolute path, not ${JSON.stringify(cwd)}.`);
  const start: DurableEvent = {
    type: "session.start",
    platform,
    source: options.source ?? platform,
    cwd,
    roots: options.roots ?? (cwd === "" ? [] : [cwd]),
    ...defined({
      parentId: options.parentId,
      hidden: options.hidden,
      settings: options.settings,
      depth: options.depth,
      sensitive: options.sensitive,
      user: options.user,
      home: homeOf(cwd, machines),
    }),
  };
  const { history = [], allowed = [] } = options;
  return [
    start,
    ...(title === undefined ? [] : [{ type: "title.set", title, by: "user" } as const]),
    ...(allowed.length === 0 ? [] : [{ type: "approval.pattern", patterns: allowed } as const]),
    ...(history.length === 0 ? [] : [{ type: "history.given", messages: history } as const]),
  ];
}
