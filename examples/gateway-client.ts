/**
 * A host of your own on the gateway: start `agent rpc --listen`, put what `agent gateway token` prints into
 * AGENT_GATEWAY_TOKEN, and give this program the address.
 * The connection comes back by itself and goes on where it was; approvals are answered as they come.
 */
import { GatewayClient, webSocket } from "agent-host/rpc/client";

const token = process.env["AGENT_GATEWAY_TOKEN"] ?? "";
const [address = "ws://127.0.0.1:8645/api/ws", prompt = "count to 5"] = process.argv.slice(2);

await using client = new GatewayClient({
  connect: webSocket(address, { token }),
  questions: {
    approval: ({ command }) => {
      console.log(`Refusing: ${command}`);
      return Promise.resolve({ choice: "deny" });
    },
  },
});
const { version } = await client.ready;
console.log(`Connected to agent ${version}`);

const { session_id } = await client.request("session.create", { title: "" });
const events = client.events();
await client.request("prompt.submit", { session_id, text: prompt });
for await (const event of events) {
  if (event.type === "message.delta") process.stdout.write(event.payload.text);
  if (event.type === "gateway.reconnecting") console.error(`Lost the gateway: ${event.payload.reason}`);
  if (event.type === "message.complete") {
    console.log(`\n${event.payload.status}, ${event.payload.usage.total} tokens`);
    break;
  }
}
