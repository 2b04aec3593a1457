/** Asks the agent by webhook and gets the answer by a signed callback, as other software would. */
import { createHmac } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const secret = "any-secret-of-16-or-more-characters";
const agentFile = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const env = { ...process.env, WEBHOOK_ENABLED: "true", WEBHOOK_SECRET: secret, WEBHOOK_PORT: "0" };
const gateway = spawn(process.execPath, [agentFile, "gateway"], { env, stdio: ["ignore", "ignore", "pipe"] });
const listening = Promise.withResolvers<string>();
createInterface({ input: gateway.stderr }).on("line", (line) => {
  const [, port] = /:(\d+)\/webhooks/.exec(line) ?? [];
  if (port !== undefined) listening.resolve(`http://localhost:${port}/webhooks/agent`);
});
const url = await listening.promise;

const answered = Promise.withResolvers<void>();
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    response.end();
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const genuine = request.headers["x-webhook-signature"] === signature;
    console.log(genuine ? JSON.parse(body) : "This did not come from the agent.");
    answered.resolve();
  });
});
await once(receiver.listen(0, "127.0.0.1"), "listening");
const { port } = receiver.address() as AddressInfo;

const asked = await fetch(url, {
  method: "POST",
  headers: {
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
    "x-request-id": "order-7",
  },
  body: JSON.stringify({ message: "count to 3", callback_url: `http://127.0.0.1:${port}/done` }),
});
console.log(asked.status, await asked.json());
await answered.promise;
receiver.close();
gateway.kill("SIGTERM");
