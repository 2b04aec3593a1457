/** Surfaces by their names in the log, each as a place. */
const PLACES: Readonly<Record<string, string>> = {
  gateway: "another window",
  tui: "another window",
  cli: "the command line",
  acp: "an editor",
  api: "the HTTP API",
  webhook: "a webhook",
  job: "a job",
  chat: "a chat",
  dashboard: "the dashboard",
  roster: "the roster of users",
  library: "a program",
};

/** Says where something was done, for people who see it elsewhere. */
export const placeWords = (surface: string): string =>
  Object.hasOwn(PLACES, surface) ? (PLACES[surface] ?? surface) : surface;

/** Surfaces at which the person sits who owns the session. */
const OWN: ReadonlySet<string> = new Set(["gateway", "tui", "cli", "acp", "dashboard"]);

/** Says who stopped a turn, in a sentence for people. */
export const stoppedWords = (surface: string): string =>
  OWN.has(surface) ? "You stopped it." : `It was stopped from ${placeWords(surface)}.`;
