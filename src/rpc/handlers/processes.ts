import type { Session, SessionState } from "../../core/index.ts";
import { encodeActive } from "../encode/subagent.ts";
import { encodeBeside } from "../encode/session-info.ts";
import { seconds } from "../encode/time.ts";
import type { PROCESS_METHODS } from "../protocol/processes.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { HandlersOf } from "./handler.ts";

/** Another process of the agent runs it. */
const ELSEWHERE = { status: "running", bytes: 0, elsewhere: true } as const;

/** Calls that have begun and may not have come to their commands yet: what they may change is kept first. */
const begunCommands = ({ turn }: SessionState): readonly string[] =>
  (turn?.calls ?? []).flatMap(({ call, status, permission }) =>
    call.name === "terminal" && status === "started" && permission !== "asked" ? [call.id] : [],
  );

/** A signal that aborts when a call is over, or `signal` does; dispose of it when nobody waits any more. */
function callOver(
  session: Session,
  callId: string,
  signal: AbortSignal,
): Disposable & { readonly signal: AbortSignal } {
  const over = new AbortController();
  const both = AbortSignal.any([over.signal, signal]);
  const end = (): void => over.abort();
  const follow = async (): Promise<void> => {
    for await (const event of session.events({ after: session.state.seq, live: false, signal: both })) {
      if (event.type === "tool.complete" && event.callId === callId) return;
      if (event.type === "turn.end") return;
    }
  };
  // A log that cannot be read says nothing of its end: then nobody waits for it.
  follow().then(end, end);
  return { signal: both, [Symbol.dispose]: end };
}

const noProcess = (id: string): HostError =>
  new HostError(
    "not_found",
    `There is no process ${id} of this session here. \`process.list\` has those that there are.`,
  );

export const PROCESS_HANDLERS: HandlersOf<typeof PROCESS_METHODS> = {
  async "process.stop"({ session_id }, { gateway }) {
    if (session_id !== undefined) await gateway.session(session_id);
    return { killed: await gateway.ports.commands.stopProcesses(session_id) };
  },

  async "process.background"({ session_id, tool_id, stream_id }, { gateway, signal }) {
    const session = await gateway.session(session_id);
    const { processes } = gateway.ports;
    const moved = await processes.toBackground(session.id, tool_id ?? stream_id);
    if (moved.length > 0 || stream_id !== undefined) return { processes: [...moved] };
    const late = begunCommands(session.state)
      .filter((callId) => tool_id === undefined || tool_id === callId)
      .map(async (callId) => {
        using over = callOver(session, callId, signal);
        return await processes.toBackground(session.id, callId, over.signal);
      });
    return { processes: (await Promise.all(late)).flat() };
  },

  async "process.list"({ session_id }, { gateway }) {
    const { id, state } = await gateway.session(session_id);
    const here = gateway.ports.processes.list(id);
    const isHere = ({ process_id }: { readonly process_id: string }): boolean =>
      here.some((each) => each.process_id === process_id);
    const elsewhere = encodeBeside(state).processes.filter((each) => !isHere(each));
    const others = elsewhere.map((each) => ({ ...each, ...ELSEWHERE }));
    return { processes: [...others, ...here] };
  },

  async "process.output"({ session_id, process_id }, { gateway }) {
    const { id } = await gateway.session(session_id);
    const output = gateway.ports.processes.output(id, process_id);
    if (output === undefined) throw noProcess(process_id);
    return { output };
  },

  async "process.kill"({ session_id, process_id }, { gateway }) {
    const { id } = await gateway.session(session_id);
    const killed = await gateway.ports.processes.end(id, process_id);
    if (killed === undefined) throw noProcess(process_id);
    return { killed };
  },

  "delegation.status"(_params, { gateway }) {
    const { subagents, services } = gateway.host;
    const { maxDepth, maxChildren } = services.policy().delegation;
    return {
      active: subagents.active().map(encodeActive),
      paused: subagents.paused,
      max_spawn_depth: maxDepth,
      max_concurrent_children: maxChildren,
    };
  },

  "delegation.pause"({ paused }, { gateway }) {
    const { subagents } = gateway.host;
    subagents.paused = paused;
    return { paused: subagents.paused };
  },

  "subagent.interrupt"({ subagent_id }, { gateway }) {
    return { found: gateway.host.subagents.interrupt(subagent_id), subagent_id };
  },

  async "spawn_tree.save"(params, { gateway }) {
    const { subagents, session_id, label, started_at = null } = params;
    const finished_at = params.finished_at ?? seconds(gateway.host.services.clock.now());
    const tree = { session_id, started_at, finished_at, label, subagents };
    return { path: await gateway.ports.archive.saveTree(tree), session_id };
  },

  async "spawn_tree.list"({ session_id, limit, cross_session }, { gateway }) {
    const query = { sessionId: cross_session ? undefined : session_id, limit };
    return { entries: [...(await gateway.ports.archive.listTrees(query))] };
  },

  async "spawn_tree.load"({ path }, { gateway }) {
    return await gateway.ports.archive.loadTree(path);
  },
};
