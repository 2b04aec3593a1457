import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import { age, count } from "../text/figures.ts";
import type { ListItem } from "./overlay.ts";

type Process = Result<"process.list">["processes"][number];

/** Commands that go on in the background: to read what they print, and to end them. */
export async function openProcesses(client: Client): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  const { processes } = await client.controller.request("process.list", { session_id });
  if (processes.length === 0)
    return client.controller.note("No command runs in the background. Ctrl+B sends one there while it runs.");
  const process_id = await client.dialogs.pick({
    title: "Commands in the background",
    items: processes.toReversed().map((each) => processItem(each, client.now())),
    keys: "Enter reads or ends it · Esc closes",
  });
  const process = processes.find((each) => each.process_id === process_id);
  if (process === undefined) return;
  const at = { session_id, process_id: process.process_id };
  const act = process.status === "ended" ? "read" : await whatToDo(client, process);
  if (act === "read") {
    const { output } = await client.controller.request("process.output", at);
    return client.dialogs.read({
      title: process.command,
      text: output || "(no output yet)",
      format: "plain",
    });
  }
  if (act !== "end") return;
  const { killed } = await client.controller.request("process.kill", at);
  client.controller.note(killed ? `Ended: ${process.command}` : "It was over already.");
}

const whatToDo = (client: Client, { command }: Process): Promise<string | undefined> =>
  client.dialogs.pick({
    title: command,
    items: [
      { id: "read", label: "Read what it printed", detail: "" },
      { id: "end", label: "End it", detail: "" },
    ],
  });

function processItem(process: Process, now: number): ListItem {
  const { process_id, command, status, started_at, bytes, exit_code } = process;
  const end = exit_code === undefined ? "was ended" : `exit code ${exit_code}`;
  const state = status === "running" ? "running" : end;
  return {
    id: process_id,
    label: command,
    detail: [state, age(started_at * 1000, now), `${count(bytes)} bytes`, process_id].join(" · "),
  };
}
