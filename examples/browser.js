/**
 * Reads a run from a web page on another origin: API_SERVER_CORS_ORIGINS must name the page's origin.
 * A connection that breaks is opened again where it broke: nothing is lost and nothing comes twice.
 *
 * @param {{ url: string, key: string, input: string, onText: (text: string) => void, fetch?: typeof fetch }} options
 */
export async function followRun({ url, key, input, onText, fetch = globalThis.fetch }) {
  const headers = { authorization: `Bearer ${key}` };
  const begun = await fetch(`${url}/runs`, { method: "POST", headers, body: JSON.stringify({ input }) });
  if (!begun.ok) throw new Error((await begun.json()).error.message);
  const { run_id: run } = await begun.json();
  for (let cursor = 0; ;) {
    const answer = await fetch(`${url}/runs/${run}/events`, {
      headers: { ...headers, "last-event-id": String(cursor) },
    });
    try {
      for await (const { id, data } of events(answer.body)) {
        cursor = id;
        if (data.event === "message.delta") onText(data.delta);
        if (/^run\.(completed|failed|cancelled|interrupted)$/.test(data.event)) return data;
      }
    } catch {
      // The connection broke.
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** @param {ReadableStream<Uint8Array>} body */
async function* events(body) {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const field = (name) =>
        frame
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      if (field("data") !== undefined) yield { id: Number(field("id")), data: JSON.parse(field("data")) };
    }
  }
}
