import { Deadline } from "../../shared/async/deadline.ts";
import { type Host, modelChoice, textPart } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Sample, SampleRequest } from "../../providers/mcp/index.ts";

/** Milliseconds that the model may take for a server's question. */
const LONGEST_MS = 120_000;

/** Asks the model of a session what a server wants to know: text only, no tools, nothing of the conversation. */
export async function sampleFor(host: Host, request: SampleRequest): Promise<Sample> {
  const { clock } = host.services;
  const session = await host.session(request.session);
  const model = host.services.models().resolve(modelChoice(await session.refresh()));
  using deadline = new Deadline({ clock, ms: LONGEST_MS, signal: request.signal });
  let text = "";
  let isCut = false;
  const parts = model.stream({
    system: request.system,
    messages: request.messages.map((message) =>
      message.role === "user"
        ? { role: "user", parts: [textPart(message.text)] }
        : { role: "assistant", text: message.text, reasoning: "", calls: [] },
    ),
    tools: [],
    maxOutputTokens: request.maxTokens,
    cacheKey: `${session.id}:mcp:${request.server}`,
    signal: deadline.signal,
    loadBlob: () => Promise.reject(new HostError("blob_not_found", "There are no images here.")),
  });
  for await (const part of parts) {
    if (part.type === "text") text += part.text;
    if (part.type === "finish") isCut = part.reason === "length";
  }
  if (deadline.passed) throw new HostError("timeout", "The model did not answer in time.");
  return { model: model.name, text, isCut };
}
