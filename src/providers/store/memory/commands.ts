import type { Command, CommandResult } from "../../../core/index.ts";
import type { HostFacts } from "../operations.ts";
import type { HomeData, MemoryCommand } from "./home.ts";

const KEPT_AFTER_DEADLINE = 60_000;

export function sendCommand(
  home: HomeData,
  { command, now }: { readonly command: Command; readonly now: number },
): HostFacts | undefined {
  sweepCommands(home, now);
  const session = home.sessions.get(command.session);
  const holder = session && home.holderOf(session);
  if (holder !== undefined) home.commands.push({ command, taken: undefined, result: undefined });
  return holder;
}

export function sweepCommands({ commands }: HomeData, now: number): void {
  for (let index = commands.length - 1; index >= 0; index -= 1) {
    if ((commands[index]?.command.deadline ?? now) < now - KEPT_AFTER_DEADLINE) commands.splice(index, 1);
  }
}

export function answerCommands(home: HomeData, results: readonly CommandResult[]): void {
  for (const result of results) {
    const line = find(home, result.id);
    if (line !== undefined) line.result ??= result;
  }
}

const find = ({ commands }: HomeData, id: string): MemoryCommand | undefined =>
  commands.find(({ command }) => command.id === id);

export function answererOf(home: HomeData, id: string): HostFacts | undefined {
  const line = find(home, id);
  const answerer = line && answererId(home, line);
  return answerer === undefined ? undefined : home.hostFacts(answerer);
}

/** Who took a command, else who holds its session. */
function answererId(home: HomeData, { taken, command }: MemoryCommand): string | undefined {
  return taken ?? home.sessions.get(command.session)?.holder;
}

export function withdraw(
  home: HomeData,
  { id, from, force }: { readonly id: string; readonly from: string | undefined; readonly force: boolean },
): { readonly open: boolean; readonly result?: CommandResult } {
  const line = find(home, id);
  if (line === undefined) return { open: false };
  const answerer = answererId(home, line);
  const given = answerer === undefined || answerer === from;
  if (line.result === undefined && !force && !given) return { open: true };
  home.commands.splice(home.commands.indexOf(line), 1);
  return line.result === undefined ? { open: false } : { open: false, result: line.result };
}

/** Whether a command needs its sender: it is answered, or has nobody to answer it. */
export function isSettled(home: HomeData, id: string): boolean {
  const line = find(home, id);
  return line === undefined || line.result !== undefined || answererId(home, line) === undefined;
}

/** Takes the commands to sessions of a host, in the order in which they were sent: each is taken once. */
export function takeCommands(home: HomeData, host: string): readonly Command[] {
  const lines = home.commands.filter(
    ({ command, taken, result }) =>
      taken === undefined && result === undefined && home.sessions.get(command.session)?.holder === host,
  );
  for (const line of lines) line.taken = host;
  return lines.map(({ command }) => command);
}

/** What a dead host had taken and not answered, it had not carried out. */
export function returnCommands({ commands }: HomeData, host: string, session?: string): void {
  for (const line of commands) {
    const theirs = line.taken === host && line.result === undefined;
    if (theirs && (session === undefined || line.command.session === session)) line.taken = undefined;
  }
}
