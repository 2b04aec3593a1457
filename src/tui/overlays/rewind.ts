import { counted } from "../../shared/text/counted.ts";
import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import { age } from "../text/figures.ts";
import { fillList, showList } from "./open.ts";
import type { ListItem } from "./overlay.ts";

const KEYS = "Enter goes back to before it, the prompt comes into the composer · Esc closes";

/** The session's earlier prompts, the newest first: the conversation can be taken back to before each of them. */
export async function openRewind(client: Client): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  showList(client, "rewind", { title: "Go back to before a prompt", keys: KEYS });
  const { prompts } = await client.controller.request("session.prompts", { session_id });
  fillList(
    client,
    "rewind",
    prompts.map((prompt, index) => rewindItem(prompt, index, client.now())),
  );
}

function rewindItem(
  { prompt_id, text, at }: Result<"session.prompts">["prompts"][number],
  index: number,
  now: number,
): ListItem {
  return {
    id: prompt_id,
    label: text.trim() === "" ? "(no text)" : text,
    detail: `${age(at * 1000, now)} · takes back ${counted(index + 1, "turn")}`,
    search: text,
    current: false,
  };
}

/** Takes the conversation back to before a prompt, which comes into the composer. The log keeps what was said. */
export async function rewindTo(client: Client, { id }: ListItem): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  const { text } = await client.controller.request("session.rewind", { session_id, prompt_id: id });
  client.prefill(text);
}
