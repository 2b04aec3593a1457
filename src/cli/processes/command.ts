import { argument, command, flag, flagOff, JSON_FLAG, notEmpty, option } from "../command.ts";

/** `agent ps`. */
export const PS_COMMAND = command("ps", "list the processes that run turns, with or without a window", {
  takes: { json: JSON_FLAG },
  help: "A turn whose window was closed goes on in its process, which ends when the turn and its queue are done.",
  load: async () => (await import("./ps.ts")).printProcesses,
});

/** `agent attach`. */
export const ATTACH_COMMAND = command("attach", "watch and answer a turn that goes on without its window", {
  takes: {
    id: argument("[id]", "an id or pid of `agent ps`, or a session; not needed when there is only one"),
    plain: flag("a chat in plain lines"),
    model: option("<provider:model>", "the model of the session from now on", {
      short: "m",
      read: notEmpty,
    }),
  },
  load: async () => (await import("./attach.ts")).attachToProcess,
});

/** `agent stop`. */
export const STOP_COMMAND = command("stop", "stop turns, and end their processes when those have no window", {
  takes: {
    ids: argument(
      "[id...]",
      "ids or pids of `agent ps`, or sessions; not needed when one alone works in this folder",
    ),
    all: flagOff("all that have no window"),
  },
  load: async () => (await import("./stop.ts")).stopWork,
});
