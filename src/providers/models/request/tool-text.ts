import type { ToolSpec } from "../../../core/index.ts";

/** Makes an encoder of tools to JSON text that encodes each tool once: all requests of a session have the same ones. */
export function toolEncoder(encode: (tool: ToolSpec) => object): (tool: ToolSpec) => string {
  const texts = new WeakMap<ToolSpec, string>();
  return (tool) => {
    const known = texts.get(tool);
    if (known !== undefined) return known;
    const text = JSON.stringify(encode(tool));
    texts.set(tool, text);
    return text;
  };
}
