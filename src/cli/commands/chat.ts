import { openAgent } from "../compose.ts";
import { type Io, write } from "../io.ts";
import { PlainChat } from "../plain/chat.ts";

/** `agent`: the chat, on a new session or on one that exists. */
export async function chat(
  io: Io,
  options: { readonly session?: string; readonly model?: string },
): Promise<number> {
  await using agent = await openAgent(io, { resident: true });
  const { host } = agent;
  const models = host.services.models();
  const chosen = options.model === undefined ? undefined : models.resolve(models.parse(options.model));
  const settings = chosen === undefined ? {} : { provider: chosen.provider, model: chosen.name };
  const session =
    options.session === undefined
      ? await host.open({ platform: "cli", cwd: io.cwd, settings })
      : await host.find(options.session);
  if (options.session !== undefined && chosen !== undefined) await session.set(settings);
  const { provider, name } = models.resolve(session.state.settings);
  await write(io.stdout, greeting(`${provider}:${name}`, provider === "demo"));
  return await new PlainChat(io, agent, session).run();
}

function greeting(model: string, demo: boolean): string {
  const hint = demo
    ? "No model is configured: the built-in demo model answers. `agent doctor` says how to set up a real one."
    : "";
  return (
    [`agent, on ${model}. /help lists commands, /quit leaves.`, hint]
      .filter((line) => line !== "")
      .join("\n") + "\n"
  );
}
