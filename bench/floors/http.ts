import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** The least that can be an API server: hands each chat to a model, whose address is the argument, and its stream back. */
const agent = new Agent({ keepAlive: true });
const server = createServer((asked, answer) => {
  const headers = { "content-type": "application/json" };
  const call = request(
    `${process.argv[2] ?? ""}/chat/completions`,
    { method: "POST", agent, headers: { ...headers, "content-length": asked.headers["content-length"] } },
    (response) => {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      response.pipe(answer);
    },
  );
  asked.pipe(call);
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.stdin.resume().on("end", () => process.exit());
