import { command, JSON_FLAG } from "../command.ts";

/** `agent doctor`. */
export const DOCTOR_COMMAND = command("doctor", "check configuration, store and provider", {
  takes: { json: JSON_FLAG },
  load: async () => (await import("./doctor.ts")).doctor,
});
