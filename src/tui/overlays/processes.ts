import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import type { ViewState } from "../state/view-state.ts";
import { joinFacts } from "../text/facts.ts";
import { age, count } from "../text/figures.ts";
import type { ListItem } from "./overlay.ts";

type Process = Result<"process.list">["processes"][number];

/** What goes on in the background, commands and prompts: to read what they print, and to end them. */
export async function openProcesses(client: Client): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  const { processes } = await client.controller.request("process.list", { session_id });
  const tasks = client.store.state.view.background;
  if (processes.length === 0 && tasks.length === 0)
    return client.controller.note(
      "Nothing runs in the background. Ctrl+B sends a command there while it runs.",
    );
  const id = await client.dialogs.pick({
    title: "In the background",
    items: [...tasks.map(taskItem), ...processes.toReversed().map((each) => processItem(each, client.now()))],
    keys: "Enter reads or ends it · Esc closes",
  });
  const process = processes.find((each) => each.process_id === id);
  if (process !== undefined) return await openProcess(client, session_id, process);
  const task = tasks.find((each) => each.id === id);
  if (task === undefined || (await client.dialogs.pick(endIt(task.text))) === undefined) return;
  const command = `/agents stop ${task.id}`;
  const { output = "" } = await client.controller.request("command.dispatch", { session_id, command });
  client.controller.note(output);
}

async function openProcess(client: Client, session_id: string, process: Process): Promise<void> {
  if (process.elsewhere === true)
    return client.controller.note("Another process of the agent runs it: it is read and ended there.");
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

const END = { id: "end", label: "End it", detail: "" };

const endIt = (title: string) => ({ title, items: [END] });

const whatToDo = (client: Client, { command }: Process): Promise<string | undefined> =>
  client.dialogs.pick({
    title: command,
    items: [{ id: "read", label: "Read what it printed", detail: "" }, END],
  });

const taskItem = ({ id, text }: ViewState["background"][number]): ListItem => ({
  id,
  label: text,
  detail: joinFacts("running", "a prompt", id),
});

function processItem(process: Process, now: number): ListItem {
  const { process_id, command, status, started_at, bytes, exit_code, elsewhere } = process;
  const end = exit_code === undefined ? "was ended" : `exit code ${exit_code}`;
  const state = status === "running" ? "running" : end;
  const printed = elsewhere === true ? "in another process" : `${count(bytes)} bytes`;
  return {
    id: process_id,
    label: command,
    detail: joinFacts(state, age(started_at * 1000, now), printed, process_id),
  };
}
