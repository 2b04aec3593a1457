import { defined } from "../../shared/json/defined.ts";
import { counted } from "../../shared/text/counted.ts";
import { interruptionOf } from "../state/status.ts";
import { sameTitleNote } from "../session/look-up-session.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { promptText } from "../events/content.ts";
import { defineCommands, done, requireArgument, requireSession } from "./slash-command.ts";
import { formatAge } from "../../shared/text/format.ts";

const SHOWN_SESSIONS = 15;
const GO_ON = "Go on where you were interrupted.";

/** Commands about the conversation. */
export const SESSION_COMMANDS = defineCommands("Session", [
  {
    name: "new",
    aliases: ["reset", "clear"],
    args: "[title]",
    description: "Start a new session",
    async run({ host, session, workspace, from }, title) {
      const { cwd, roots } = session?.state ?? workspace;
      const platform = session?.state.platform ?? "library";
      const named = title === "" ? {} : { title };
      const fresh = await host.open({
        cwd,
        roots,
        platform,
        source: session?.state.source ?? from.surface,
        ...named,
      });
      return { type: "switch", sessionId: fresh.id, output: `New session ${fresh.id}.` };
    },
  },
  {
    name: "resume",
    args: "<id or title>",
    description: "Go on with a saved session",
    async run({ host }, argument) {
      const found = await host.lookUp(
        requireArgument(argument, "/resume <id or title>; /sessions lists them"),
      );
      const { id, state } = found.record;
      const resumed = `Resumed ${state.title === "" ? id : `"${state.title}"`}, ${counted(state.counts.turns, "turn")}.`;
      return { type: "switch", sessionId: id, output: `${resumed} ${sameTitleNote(found)}`.trim() };
    },
  },
  {
    name: "sessions",
    aliases: ["switch"],
    args: "[search]",
    description: "List saved sessions",
    async run({ host, session }, search) {
      const found = await host.list({
        limit: SHOWN_SESSIONS,
        offset: 0,
        ...(search === "" ? {} : { search }),
      });
      if (found.length === 0)
        return done(search === "" ? "There are no saved sessions." : `No session matches "${search}".`);
      const now = host.services.clock.now();
      const lines = found.map(({ id, state }) => {
        const mark = id === session?.id ? "*" : " ";
        return `${mark} ${id}  ${formatAge(now - state.activeAt).padStart(4)}  ${state.title || state.preview || "(no prompt yet)"}${interruptionOf(state) === undefined ? "" : "  (interrupted)"}`;
      });
      return done(lines.join("\n"));
    },
  },
  {
    name: "title",
    aliases: ["rename"],
    args: "[text]",
    description: "Show or set the session's title",
    async withSession(session, text) {
      if (text === "") return done(session.state.title || "(no title yet)");
      return done(`Title: ${await session.setTitle(text)}`);
    },
  },
  {
    name: "branch",
    aliases: ["fork"],
    args: "[title]",
    description: "Copy this session and go on in the copy",
    async withSession(session, title, context) {
      const copy = await context.host.branch(session.id, title === "" ? {} : { title });
      return { type: "switch", sessionId: copy.id, output: `Branched to ${copy.state.title || copy.id}.` };
    },
  },
  {
    name: "continue",
    description: "Let the agent go on where its last turn was interrupted",
    async withSession(session) {
      const state = await session.refresh();
      if (state.turn !== undefined) return done("A turn runs already.");
      const interruption = interruptionOf(state);
      const notice = interruption === undefined ? {} : { notice: `It was interrupted. ${interruption}` };
      return { type: "send", message: GO_ON, ...notice };
    },
  },
  {
    name: "retry",
    inOrder: true,
    description: "Take back the last turn and send its prompt again",
    async withSession(session) {
      const [message = ""] = await session.undo(1);
      return { type: "send", message, notice: "Trying again." };
    },
  },
  {
    name: "queue",
    aliases: ["q"],
    args: "[text]",
    description: "Queue a prompt behind the running turn, or show the queue",
    async run(context, text) {
      if (text !== "") return { type: "send", message: text };
      const { queue } = await requireSession(context, "queue").refresh();
      if (queue.length === 0) return done("The queue is empty.");
      return done(
        queue
          .map(
            ({ prompt, held }, index) =>
              `${index + 1}. ${promptText(prompt.parts)}${held ? " (held: /confirm)" : ""}`,
          )
          .join("\n"),
      );
    },
  },
  {
    name: "confirm",
    args: "[drop]",
    description: "Run the prompts that are held back, or take them back",
    async withSession(session, what) {
      if (what !== "" && what !== "drop") throw new HostError("command_usage", "Usage: /confirm [drop]");
      const held = (await session.refresh()).queue
        .filter((entry) => entry.held)
        .map(({ prompt }) => prompt.id);
      if (held.length === 0) return done("No prompt is held.");
      if (what === "drop") {
        const texts = await session.drop(held);
        return done(texts.map((text) => `Taken back: ${text}`).join("\n"));
      }
      await session.confirm(held);
      return done(`Running ${counted(held.length, "held prompt")}.`);
    },
  },
  {
    name: "steer",
    args: "<text>",
    description: "Add text to the running turn, delivered after its next tool",
    async run(context, argument) {
      const text = requireArgument(argument, "/steer <text>");
      if (await requireSession(context, "steer").steer(text, context.from))
        return done("Will be delivered with the next tool result.");
      return { type: "send", message: text };
    },
  },
  {
    name: "compress",
    aliases: ["compact", "summarize"],
    args: "[focus]",
    description: "Summarize the older part of the conversation for the model",
    async withSession(session, focus, context) {
      const result = await session.compress({ signal: context.signal, ...(focus === "" ? {} : { focus }) });
      if (!result.done)
        return {
          type: "done",
          output: `Not compressed: ${result.reason}`,
          ...defined({ told: result.told }),
        };
      return done(
        `Compressed about ${result.tokensBefore} tokens to ${result.tokensAfter}. Nothing was deleted.`,
      );
    },
  },
  {
    name: "background",
    aliases: ["bg", "btw"],
    args: "<prompt>",
    description: "Run a prompt beside this session",
    async run(context, argument) {
      const text = requireArgument(argument, "/background <prompt>");
      const taskId = await context.host.background(
        requireSession(context, "background").id,
        text,
        context.from,
      );
      return done(`Started ${taskId}.`);
    },
  },
  {
    name: "stop",
    description: "Stop the running turn and the session's background processes",
    async withSession(session, _argument, context) {
      const { interrupted } = await session.interrupt({ from: context.from });
      const killed = await context.stopProcesses(session.id);
      const turn = interrupted ? "Stopped the turn" : "No turn was running";
      return done(`${turn}; ended ${killed} background process${killed === 1 ? "" : "es"}.`);
    },
  },
]);
