import { Command, CommanderError } from "commander";
import { HostError } from "../shared/errors/host-error.ts";
import { nearNames } from "../shared/text/nearest-name.ts";
import { EXIT, type Io } from "../app/process/io.ts";
import { acpCommand } from "./acp/command.ts";
import { fleetCommand, frontCommand } from "./fleet/command.ts";
import { jobsCommand } from "./jobs/command.ts";
import { mcpCommand } from "./mcp/command.ts";
import { type Action, type Arguments, type Bind, given, json, number } from "./flags.ts";
import { packageVersion } from "../app/process/version.ts";
import { skillsCommand } from "./skills/command.ts";
import { setupCommand } from "./setup/command.ts";
import { webhookCommand } from "./webhook/command.ts";

/** Parses the arguments and runs the command that they name; each command's code is loaded when it runs. */
export async function program(io: Io, argv: readonly string[]): Promise<number> {
  let code: number = EXIT.completed;
  const agent = describe(<Flags>(action: Action<Flags>) => async (...given: readonly unknown[]) => {
    // Commander hands over the declared arguments, then the flags, checked against their declarations, then itself.
    const args = given.slice(0, -2).flat() as Arguments;
    code = await action(io, args, given.at(-2) as Flags);
  });
  agent.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error: /, "agent: ")),
  });
  for (const command of agent.commands) inherit(agent, command);
  const asked = argv[0] === "help" ? [...argv.slice(1), "--help"] : [...argv];
  checkCommand(agent, asked);
  try {
    await agent.parseAsync(asked, { from: "user" });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.completed : EXIT.usage;
    throw thrown;
  }
}

/** @throws HostError `command_usage` for a word that is no command, with what was probably meant */
function checkCommand(of: Command, [word, ...rest]: readonly string[], path = ""): void {
  if (word === undefined || word.startsWith("-") || word === "help") return;
  const command = of.commands.find((each) => each.name() === word || each.aliases().includes(word));
  if (command !== undefined) {
    if (command.commands.length > 0) checkCommand(command, rest, `${word} `);
    return;
  }
  const names = ["help", ...of.commands.map((each) => each.name())];
  const near = nearNames(word, names);
  const hint = near.length === 0 ? `Commands: ${names.join(", ")}.` : `Did you mean ${near.join(" or ")}?`;
  const prompt = path === "" ? " A prompt goes to `agent run`." : "";
  throw new HostError("command_usage", `There is no command "${path}${word}". ${hint}${prompt}`);
}

function inherit(from: Command, to: Command, path = `agent ${to.name()}`): void {
  to.copyInheritedSettings(from).showHelpAfterError(`Run \`${path} --help\` for how it is used.`);
  for (const command of to.commands) inherit(to, command, `${path} ${command.name()}`);
}

/** Without a command: the client on a terminal that can be drawn on, else plain lines. */
function chatOptions(agent: Command, bind: Bind): void {
  agent
    .option("--plain", "a chat in plain lines: for screen readers, logs and slow links")
    .option("-s, --session <id>", "go on with a session: its id or exact title", given)
    .option("-m, --model <provider:model>", "the model of the new session", given)
    .option(
      "--attach <address>",
      "a gateway elsewhere: ws://host:port/api/ws; its token in AGENT_GATEWAY_TOKEN",
    )
    .action(
      bind<ChatFlags>(async (io, _args, { plain = false, ...flags }) => {
        const { canDraw, tui } = await import("./tui/tui.ts");
        if (!plain && canDraw(io)) return await tui(io, flags);
        const { chat } = await import("./tui/plain.ts");
        return await chat(io, flags);
      }),
    );
}

interface ChatFlags {
  plain?: boolean;
  session?: string;
  model?: string;
  attach?: string;
}

function describe(bind: Bind): Command {
  const agent = new Command("agent")
    .description("An agent that works in your folder. Without a command it opens a chat.")
    .enablePositionalOptions()
    .helpCommand("help [command]", "display help for a command")
    .version(packageVersion(), "-v, --version")
    .showHelpAfterError("Run `agent --help` for all commands.");
  chatOptions(agent, bind);
  agent
    .addCommand(runCommand(bind))
    .addCommand(acpCommand(bind))
    .addCommand(rpcCommand(bind))
    .addCommand(sessionsCommand(bind))
    .addCommand(modelCommand(bind))
    .addCommand(setupCommand(bind))
    .addCommand(skillsCommand(bind))
    .addCommand(jobsCommand(bind))
    .addCommand(webhookCommand(bind))
    .addCommand(mcpCommand(bind))
    .addCommand(frontCommand(bind))
    .addCommand(fleetCommand(bind));
  agent
    .command("gateway")
    .description("serve: API server, webhooks and jobs, until it is told to stop")
    .addHelpText(
      "after",
      "\nAPI_SERVER_ENABLED=true and API_SERVER_KEY switch the API server on, WEBHOOK_ENABLED=true the webhooks;\njobs run with either. Logs go to stderr. Exit code 2: it could not start, and says why.",
    )
    .action(
      bind(async (io) => {
        const { gateway } = await import("./gateway/gateway.ts");
        return await gateway(io);
      }),
    );
  agent
    .command("doctor")
    .description("check configuration, store and provider")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, _args, flags) => {
        const { doctor } = await import("./doctor/doctor.ts");
        return await doctor(io, flags);
      }),
    );
  return agent;
}

function runCommand(bind: Bind): Command {
  return new Command("run")
    .description("one turn: the answer goes to stdout")
    .argument(
      "[prompt]",
      "the prompt, or a command such as /help; read from stdin when it is absent or `-`, then always a prompt",
    )
    .argument("[input...]", "`-` after the prompt: what stdin says is added to it")
    .option("--json", "print every event as a line of JSON", false)
    .option("-s, --session <id>", "go on with a session: its id or exact title", given)
    .option("-m, --model <provider:model>", "use this model", given)
    .addHelpText("after", "\nExit codes: 0 completed, 1 failed, 2 wrong usage, 130 interrupted.")
    .action(
      bind<{ json: boolean; session?: string; model?: string }>(
        async (io, [prompt, ...input], { session, model, json: asJson }) => {
          const { run } = await import("./run/run.ts");
          return await run(io, { prompt, input, session, model, json: asJson });
        },
      ),
    );
}

function rpcCommand(bind: Bind): Command {
  return new Command("rpc")
    .description("serve the gateway protocol (JSON-RPC) on stdin and stdout")
    .option("--listen [host:port]", "serve it on a WebSocket instead, on 127.0.0.1:8645 by default")
    .option("--schema", "print the protocol as an OpenRPC document", false)
    .action(
      bind<{ schema: boolean; listen?: string | true }>(async (io, _args, { schema, listen }) => {
        if (schema) return await (await import("./rpc/schema.ts")).printSchema(io);
        if (listen === undefined) return await (await import("./rpc/stdio.ts")).serveStdio(io);
        const { serveSocket } = await import("./rpc/web-socket.ts");
        return await serveSocket(io, listen === true ? "" : listen);
      }),
    );
}

interface ListFlags {
  json: boolean;
  limit: number;
  offset: number;
  all: boolean;
  search?: string;
  source?: string;
}

function sessionsCommand(bind: Bind): Command {
  const sessions = new Command("sessions").description("list, show, export and delete sessions");
  sessions
    .command("list", { isDefault: true })
    .description("list sessions, the newest activity first")
    .addOption(json())
    .option("-n, --limit <count>", "at most so many", number, 50)
    .option("--offset <count>", "leave out the first", number, 0)
    .option("--search <text>", "only those with this text in title or first prompt")
    .option("--source <name>", "only those of one surface")
    .option("-a, --all", "hidden, child and empty sessions too", false)
    .action(
      bind<ListFlags>(async (io, _args, { search, source, ...flags }) => {
        const { listSessions } = await import("./sessions/sessions.ts");
        return await listSessions(io, { ...flags, search, source });
      }),
    );
  sessions
    .command("show")
    .description("print a conversation")
    .argument("<id>", "id or exact title")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, [id = ""], flags) => {
        const { showSession } = await import("./sessions/sessions.ts");
        return await showSession(io, { id, json: flags.json });
      }),
    );
  sessions
    .command("export")
    .description("print every event of a session as a line of JSON")
    .argument("<id>", "id or exact title")
    .option("--after <seq>", "only what comes after this cursor", number, 0)
    .action(
      bind<{ after: number }>(async (io, [id = ""], flags) => {
        const { exportSession } = await import("./sessions/sessions.ts");
        return await exportSession(io, { id, after: flags.after });
      }),
    );
  sessions
    .command("delete")
    .description("delete sessions for good")
    .argument("<id...>", "ids or exact titles")
    .action(
      bind(async (io, ids) => {
        const { deleteSessions } = await import("./sessions/sessions.ts");
        return await deleteSessions(
          io,
          ids.filter((id) => id !== undefined),
        );
      }),
    );
  return sessions;
}

function modelCommand(bind: Bind): Command {
  return new Command("model")
    .description("show the models, or choose the default one")
    .argument("[provider:model]", "the new default")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, [choice], flags) => {
        const { model } = await import("./model/model.ts");
        return await model(io, { choice, json: flags.json });
      }),
    );
}
