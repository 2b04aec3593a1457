import type { MethodName, Params, Result } from "./methods.ts";

/** A change that a client made, as a record may tell of it: never a secret, and nothing that somebody wrote. */
export interface ChangeDetails {
  /** The session, setting or thing that was changed. */
  readonly subject?: string;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** The table of what each method changes, by its parameters and its result; `undefined` when that was nothing. */
type Changes = {
  readonly [M in MethodName]: (params: Params<M>, result: Result<M>) => ChangeDetails | undefined;
};

const nothing = (): undefined => undefined;
const ofSession = ({ session_id: subject }: { readonly session_id: string }): ChangeDetails => ({ subject });
const ofQuestion = ({ request_id: subject }: { readonly request_id: string }): ChangeDetails => ({ subject });
const within = (session: string | undefined) => (session === undefined ? {} : { session });

/** Settings whose values are words of a list, names and folders; those of all others are not told. */
const TOLD_SETTINGS: ReadonlySet<string> = new Set([
  "model",
  "fast",
  "approvals.mode",
  "approval_mode",
  "yolo",
  "mode",
  "reasoning",
  "cwd",
  "terminal.cwd",
  "workdir",
  "personality",
  "skin",
]);

/** Says what each method of the gateway changes. A method without a row is a type error. */
export const CHANGES: Changes = {
  "prompt.submit": ofSession,
  "prompt.background": ofSession,
  "prompt.btw": ofSession,
  "prompt.drop": (params, { dropped }) => (dropped.length === 0 ? undefined : ofSession(params)),
  "prompt.confirm": (params, { confirmed }) => (confirmed === 0 ? undefined : ofSession(params)),
  "session.steer": (params, { status }) => (status === "rejected" ? undefined : ofSession(params)),
  "session.redirect": (params, { status }) => (status === "rejected" ? undefined : ofSession(params)),
  "session.interrupt": (params, { interrupted, dropped }) =>
    interrupted || dropped.length > 0 ? ofSession(params) : undefined,
  "terminal.resize": nothing,

  "session.create": (_params, result) => ofSession(result),
  "session.list": nothing,
  "session.search": nothing,
  "session.active_list": nothing,
  "session.activate": nothing,
  "session.resume": nothing,
  "session.close": (params, { closed }) => (closed ? ofSession(params) : undefined),
  "session.delete": (_params, { deleted }) => ({ subject: deleted }),
  "session.most_recent": nothing,

  "session.history": nothing,
  "session.events.since": nothing,
  "session.events.stats": nothing,
  "session.compress": (params, { status }) => (status === "aborted" ? undefined : ofSession(params)),
  "session.branch": (params, { session_id: branch }) => ({ ...ofSession(params), after: { branch } }),
  "session.title": (params) => (params.title === undefined ? undefined : ofSession(params)),
  "session.usage": nothing,
  "session.status": nothing,
  "session.undo": (params, { removed: turns }) => ({ ...ofSession(params), after: { turns } }),
  "session.prompts": nothing,
  "session.rewind": (params, { turns }) => ({ ...ofSession(params), after: { turns } }),
  "session.save": ofSession,
  "session.timeline": nothing,
  "rollback.list": nothing,
  "rollback.diff": nothing,
  "rollback.restore": (params, { success }) =>
    params.preview || !success
      ? undefined
      : { ...ofSession(params), after: { hash: params.hash, scope: params.scope ?? "both" } },

  "clarify.respond": ofQuestion,
  "sudo.respond": (params, { status }) => (status === "expired" ? undefined : ofQuestion(params)),
  "secret.respond": (params, { status }) => (status === "expired" ? undefined : ofQuestion(params)),
  "approval.respond": (params, { resolved }) =>
    resolved === 0 ? undefined : { ...ofSession(params), after: { choice: params.choice } },
  "question.list": nothing,
  "workspace.trust": (_params, { folder, trusted }) => ({ subject: folder, after: { trusted } }),
  "approval.pending": nothing,

  "config.set": ({ session_id }, { key, value, confirm_required }) =>
    confirm_required === true
      ? undefined
      : { subject: key, after: { ...within(session_id), ...(TOLD_SETTINGS.has(key) ? { value } : {}) } },
  "config.get": nothing,
  "model.options": nothing,
  "toolsets.list": nothing,
  "tools.configure": ({ action, session_id }, { changed }) =>
    changed.length === 0 ? undefined : { after: { ...within(session_id), [action]: changed } },
  "reload.mcp": (_params, { status }) => (status === "reloaded" ? {} : undefined),
  "reload.env": (_params, { updated }) => ({ after: { updated } }),
  "setup.status": nothing,
  "setup.runtime_check": nothing,
  "setup.servers": nothing,
  "setup.places": nothing,
  "setup.detect": nothing,
  "setup.save": (_params, { saved, provider, model }) =>
    saved ? { subject: "model", after: { provider, model } } : undefined,
  "skills.manage": (_params, { name, enabled }) =>
    name === undefined || enabled === undefined ? undefined : { subject: name, after: { enabled } },
  "skills.reload": nothing,
  "connectors.list": nothing,

  "commands.catalog": nothing,
  "command.resolve": nothing,
  "command.dispatch": ({ command, name = "", session_id }) => slashCommand(command ?? name, session_id),
  "slash.exec": ({ command, session_id }) => slashCommand(command, session_id),
  "complete.slash": nothing,
  "complete.path": nothing,
  "cli.exec": (_params, { blocked, code }) => (blocked ? undefined : { after: { code } }),
  "shell.exec": ({ session_id }, { code }) => ({ after: { ...within(session_id), code } }),
  "shell.stop": (_params, { stopped }) => (stopped ? {} : undefined),

  "process.stop": ({ session_id }, { killed }) =>
    killed === 0 ? undefined : { after: { ...within(session_id), killed } },
  "process.background": (params, { processes }) => (processes.length === 0 ? undefined : ofSession(params)),
  "process.list": nothing,
  "process.output": nothing,
  "process.kill": (params, { killed }) => (killed ? ofSession(params) : undefined),
  "delegation.status": nothing,
  "delegation.pause": (_params, { paused }) => ({ after: { paused } }),
  "subagent.interrupt": (_params, { found, subagent_id }) => (found ? { subject: subagent_id } : undefined),
  "spawn_tree.save": (_params, result) => ofSession(result),
  "spawn_tree.list": nothing,
  "spawn_tree.load": nothing,

  "clipboard.paste": (params, { attached }) => (attached ? ofSession(params) : undefined),
  "image.attach": ofSession,
  "image.attach_bytes": ofSession,
  "image.detach": (params, { detached }) => (detached ? ofSession(params) : undefined),
  "input.detect_drop": (params, result) =>
    result.matched && result.is_image ? ofSession(params) : undefined,
  "paste.collapse": (_params, { path }) => ({ subject: path }),
  "client.capabilities": nothing,
  "gateway.ping": nothing,
  "pet.cells": nothing,
  "plugins.manage": nothing,
  "voice.toggle": nothing,
  "browser.manage": nothing,
};

/** The name of a command that ran is one of a list; what follows it is somebody's own words. */
function slashCommand(line: string, session: string | undefined): ChangeDetails {
  const [, name = ""] = /^\s*\/?(\S*)/.exec(line) ?? [];
  return { subject: `/${name.toLowerCase()}`, after: within(session) };
}
