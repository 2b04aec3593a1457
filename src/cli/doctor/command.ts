import { command, JSON_FLAG, SET_OPTION } from "../command.ts";

/** `agent doctor`. */
export const DOCTOR_COMMAND = command("doctor", "check configuration, store and provider", {
  takes: { set: SET_OPTION, json: JSON_FLAG },
  load: async () => (await import("./doctor.ts")).doctor,
});
