import type { ChatPlatform } from "../../../src/chat/index.ts";
import { CommandStage } from "../../kit/command.ts";
import { freePort } from "../../kit/free-port.ts";
import type { FakePlatform, PostEvent } from "./fake-platform.ts";

/** The parts of a stage for `agent gateway` on a fake platform. */
export interface GatewayStageOptions {
  readonly platform: ChatPlatform;
  readonly fake: FakePlatform;
  /** The address of the model server. */
  readonly model: string;
  /** Tools for files, in the stage's workspace. */
  readonly files?: true;
}

/** A stage on which `agent gateway` talks to everybody who writes on a fake platform. */
export async function gatewayStage({
  platform,
  fake,
  model,
  files,
}: GatewayStageOptions): Promise<CommandStage> {
  const stage = new CommandStage();
  const { baseUrl, from } = fake.account;
  const { extra, ...given } = fake.block ?? { base_url: baseUrl, from };
  const tools = files === true ? { toolsets: ["files"], workspace: stage.workspace } : {};
  const block = { enabled: true, ...given, extra: { ...extra, ...tools, allow: ["*"] } };
  stage.configure(
    `model: {provider: local, base_url: "${model}", default: m, context_length: 128000}\nplatforms: ${JSON.stringify({ [platform.name]: block })}\n`,
  );
  Object.assign(stage.env, fake.env);
  if (fake.postTo !== undefined) {
    const port = await freePort();
    Object.assign(stage.env, { WEBHOOK_ENABLED: "true", WEBHOOK_PORT: String(port) });
    fake.postTo(posting(`http://127.0.0.1:${port}/webhooks/${platform.name}`));
  }
  return stage;
}

/** Posts over HTTP. */
const posting =
  (url: string): PostEvent =>
  async ({ headers, query, body }) => {
    const { status } = await fetch(`${url}?${new URLSearchParams(query).toString()}`, {
      method: "POST",
      headers,
      body: Buffer.from(body),
    });
    return { status };
  };
