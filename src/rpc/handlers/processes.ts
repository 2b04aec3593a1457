import { seconds } from "../encode/time.ts";
import type { PROCESS_METHODS } from "../protocol/processes.ts";
import type { SubagentPort } from "../ports.ts";
import type { HandlersOf } from "./handler.ts";

/** What holds while the host has no subagents. */
const NO_SUBAGENTS: SubagentPort = {
  status: () => ({ active: [], paused: false, maxDepth: 1, maxChildren: 3 }),
  pause: () => undefined,
  interrupt: () => Promise.resolve(false),
};

export const PROCESS_HANDLERS: HandlersOf<typeof PROCESS_METHODS> = {
  async "process.stop"({ session_id }, { desk }) {
    return { killed: await desk.ports.commands.stopProcesses(session_id) };
  },

  "delegation.status"(_params, { desk }) {
    const { active, paused, maxDepth, maxChildren } = (desk.ports.subagents ?? NO_SUBAGENTS).status();
    return Promise.resolve({
      active: [...active],
      paused,
      max_spawn_depth: maxDepth,
      max_concurrent_children: maxChildren,
    });
  },

  "delegation.pause"({ paused }, { desk }) {
    const subagents = desk.ports.subagents ?? NO_SUBAGENTS;
    subagents.pause(paused);
    return Promise.resolve({ paused: subagents.status().paused });
  },

  async "subagent.interrupt"({ subagent_id }, { desk }) {
    const found = await (desk.ports.subagents ?? NO_SUBAGENTS).interrupt(subagent_id);
    return { found, subagent_id };
  },

  async "spawn_tree.save"(params, { desk }) {
    const { subagents, label, started_at = null } = params;
    const session_id = params.session_id === "" ? "default" : params.session_id;
    const finished_at = params.finished_at ?? seconds(desk.host.services.clock.now());
    const path = await desk.ports.archive.saveTree({ session_id, started_at, finished_at, label, subagents });
    return { path, session_id };
  },

  async "spawn_tree.list"({ session_id, limit, cross_session }, { desk }) {
    const sessionId = cross_session ? undefined : session_id === "" ? "default" : session_id;
    return { entries: [...(await desk.ports.archive.listTrees({ sessionId, limit }))] };
  },

  async "spawn_tree.load"({ path }, { desk }) {
    return await desk.ports.archive.loadTree(path);
  },
};
