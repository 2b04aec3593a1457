import { checkpointLine, type RewindScope, rewoundText, type Session } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { forTerminal } from "../../tui/terminal/terminal-text.ts";
import { openAgent } from "../../app/compose.ts";
import { printJson } from "../terminal/output.ts";
import { type Io, write } from "../../app/process/io.ts";
import { foundSession } from "./sessions.ts";

interface RewindOptions {
  readonly id: string;
  readonly turn?: string | undefined;
  readonly scope: string;
  readonly force: boolean;
  readonly diff: boolean;
  readonly preview: boolean;
  readonly json: boolean;
}

const SCOPES: readonly RewindScope[] = ["conversation", "files", "both"];

/** `agent sessions rewind`: lists the turns of a session, or goes back to before one. */
export async function rewindCommand(io: Io, options: RewindOptions): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const session = await foundSession(io, agent.host, options.id);
  const { turn } = options;
  if (turn === undefined) return await listPlaces(io, session, options.json);
  const chosen = /^\d{1,9}$/.test(turn) ? Number(turn) : turn;
  if (options.diff) return await write(io.stdout, forTerminal(await session.checkpointDiff(chosen)));
  const scope = SCOPES.find((each) => each === options.scope);
  if (scope === undefined) throw new HostError("command_usage", "--scope is conversation, files or both.");
  const wish = { turn: chosen, scope, force: options.force };
  const rewound = options.preview ? await session.previewRewind(wish) : await session.rewind(wish);
  if (options.json) return await printJson(io, rewound);
  const begins = options.preview ? "Nothing was changed. It would be:\n" : "";
  await write(io.stdout, `${begins}${forTerminal(rewoundText(rewound))}\n`);
}

async function listPlaces(io: Io, session: Session, json: boolean): Promise<void> {
  const places = await session.checkpoints();
  if (json) return await printJson(io, places);
  const lines = places.map((place) => `${forTerminal(checkpointLine(place, Date.now()))}\n`);
  await write(io.stdout, lines.join("") || "Nothing was asked in this session yet.\n");
}
