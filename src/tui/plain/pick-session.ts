import type { Gateway } from "../gateway.ts";
import type { FirstSession } from "../session-controller.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { originWords } from "../../shared/text/origin-words.ts";
import { age } from "../text/figures.ts";
import type { LineConsole } from "./lines.ts";

/** Sessions that are offered; of more, the id or title can be typed. */
const OFFERED = 20;

/** Lets the person pick the first session by its number in a list, or type an id or a title; an empty line begins a new one. */
export async function pickSession(
  {
    gateway,
    lines,
    session,
  }: { readonly gateway: Gateway; readonly lines: LineConsole; readonly session: FirstSession },
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<FirstSession> {
  const { sessions } = await gateway.request("session.list", { limit: OFFERED });
  if (sessions.length === 0) return session;
  const list = sessions.map(({ id, title, preview, last_active, ...begun }, index) => {
    const name = forTerminalLine(title || preview || "(no prompt yet)");
    const from = forTerminalLine(originWords(begun));
    const facts = [from, age(last_active * 1000, now), id].filter((each) => each !== "");
    return `${String(index + 1).padStart(3)}. ${name} (${facts.join(", ")})\n`;
  });
  lines.print(
    `Sessions, the newest first:\n${list.join("")}A number, an id or a title; nothing begins a new session.\n`,
  );
  lines.prompt("? ");
  const typed = await lines.next(signal);
  const words = typed?.type === "line" ? typed.text.trim() : "";
  const picked = /^\d{1,3}$/.test(words) ? sessions[Number(words) - 1]?.id : undefined;
  return words === "" ? session : { ...session, resume: picked ?? words };
}
