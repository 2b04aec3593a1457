/** A key that follows Ctrl+X. */
interface Chord {
  readonly about: string;
  /** What it stands for. */
  readonly command: string;
}

/** The keys that follow Ctrl+X, as other agents have them. */
export const CHORDS: Readonly<Record<string, Chord>> = {
  l: { about: "sessions", command: "/sessions" },
  n: { about: "new session", command: "/new" },
  m: { about: "model", command: "/model" },
  e: { about: "write in your editor", command: "/editor" },
  u: { about: "take back the last turn", command: "/undo" },
  g: { about: "go back to a prompt", command: "/rewind" },
  c: { about: "compress", command: "/compress" },
  y: { about: "copy the answer", command: "/copy" },
  d: { about: "changes of files", command: "/diff" },
  a: { about: "subagents", command: "/agents" },
  s: { about: "status", command: "/status" },
  x: { about: "export", command: "/export" },
  t: { about: "how it looks", command: "/display" },
  h: { about: "help", command: "/help" },
  q: { about: "leave", command: "/quit" },
};
