/** The stock `openai` client on an agent. Start the server first: API_SERVER_ENABLED=true API_SERVER_KEY=… agent gateway */
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: process.env["AGENT_URL"] ?? "http://127.0.0.1:8642/v1",
  apiKey: process.env["API_SERVER_KEY"] ?? "",
});

// One answer, whole.
const { choices } = await client.chat.completions.create({
  model: "agent",
  messages: [{ role: "user", content: "count to 3" }],
});
console.log("whole:", choices[0]?.message.content);

// The same as it is written; tools run on the server and show as events between the chunks.
const stream = client.chat.completions.stream({
  model: "agent",
  messages: [{ role: "user", content: "list files" }],
});
let pieces = 0;
stream.on("content", () => (pieces += 1));
const text = await stream.finalContent();
console.log("streamed:", (text ?? "").split("\n")[0], `(${pieces > 0 ? "in pieces" : "whole"})`);

// Responses are kept on the server: the next one needs only the id of the last.
const first = await client.responses.create({ model: "agent", input: "count to 2" });
const next = await client.responses.create({
  model: "agent",
  input: "count to 4",
  previous_response_id: first.id,
});
console.log("chained:", next.output_text);
console.log("kept:", (await client.responses.retrieve(next.id)).status);
