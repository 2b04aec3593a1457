import { Agent, request } from "node:http";

/** What a bare Node program does with the model's stream: the floor that an agent stands on. */
export interface FloorTurn {
  /** Milliseconds from the request to the first text, and to the end. */
  readonly first: number;
  readonly total: number;
  readonly tokens: number;
}

const agent = new Agent({ keepAlive: true });

/** One request, streamed: JSON in, lines split, each chunk parsed, its text read. No agent, no store. */
export function floorTurn(baseUrl: string): Promise<FloorTurn> {
  const { promise, resolve, reject } = Promise.withResolvers<FloorTurn>();
  const started = performance.now();
  let first = 0;
  let tokens = 0;
  let rest = "";
  const body = JSON.stringify({
    model: "test-model",
    stream: true,
    messages: [{ role: "user", content: "hi" }],
  });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const call = request(`${baseUrl}/chat/completions`, { method: "POST", agent, headers }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: {")) continue;
        const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
        if (choices[0]?.delta.content === undefined) continue;
        first ||= performance.now() - started;
        tokens += 1;
      }
    });
    response.on("end", () => resolve({ first, total: performance.now() - started, tokens }));
  });
  call.on("error", reject);
  call.end(body);
  return promise;
}

export const closeFloor = (): void => agent.destroy();
