/** Two readers of one session: one from the beginning, one that comes later and asks for the rest. */
import { openHost, type Session } from "agent-host";
import { memoryStore } from "agent-host/store";
import { say, scriptedModel } from "agent-host/testing";

const words = "Any number of readers follow a session from any position.".split(" ");
const models = scriptedModel(words.map((word) => say(`${word} `)));
await using host = await openHost({ store: memoryStore(), models });
const session = await host.open();

async function read(reader: string, from: Session, after: number): Promise<void> {
  let text = "";
  for await (const event of from.events({ after })) {
    if (event.type === "message.delta") text += event.text;
    if (event.type !== "turn.end") continue;
    console.log(`${reader} has read up to ${event.seq}: ${text.trim()}`);
    return;
  }
}

const first = read("first", session, 0);
const { after } = await session.submit({ text: "Go on." }).accepted;
// A cursor may stand anywhere, also in the middle of a word.
const second = read("second", session, after + 10);
await Promise.all([first, second]);
