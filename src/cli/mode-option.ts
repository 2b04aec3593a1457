import { option } from "./command.ts";

/** `--mode`: what runs without asking, in this session. */
export const MODE_OPTION = option("<mode>", "what runs without asking in this session", {
  choices: ["ask", "edits", "plan", "all"],
});
