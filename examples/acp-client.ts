/** A client for the Agent Client Protocol: starts the agent, lets it write a file once it is allowed, prints what it says. */
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const agentFile = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const child = spawn(process.execPath, [agentFile, "acp"], { stdio: ["pipe", "pipe", "inherit"] });
// The types of Node and of browsers differ in name only.
const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;

await client({ name: "example" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    const [option] = params.options;
    console.log(`\nAllowing: ${params.toolCall.title}`);
    return { outcome: { outcome: "selected", optionId: option?.optionId ?? "" } };
  })
  .connectWith(ndJsonStream(Writable.toWeb(child.stdin), output), async (agent) => {
    await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientInfo: { name: "example", version: "1.0.0" },
    });
    const session = await agent.buildSession(process.cwd()).start();
    for (const words of ["write hello.txt: hello from an editor", "run `rm hello.txt`"]) {
      await session.prompt(words);
      console.log(await session.readText());
    }
  });
child.stdin.end();
