import { request } from "node:http";

/** The least that can be `agent run hi`: one request to a model, whose address is the argument; its text goes out as it comes. */
const body = JSON.stringify({
  model: "test-model",
  stream: true,
  messages: [{ role: "user", content: process.argv[3] }],
});
let rest = "";
request(
  `${process.argv[2] ?? ""}/chat/completions`,
  {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
  },
  (response) => {
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: {")) continue;
        const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
        process.stdout.write(choices[0]?.delta.content ?? "");
      }
    });
    response.on("end", () => process.exit());
  },
).end(body);
