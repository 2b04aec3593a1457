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

/** Gives the parts of the field with the encoded tools, after another field; none when there are no tools. */
export const toolsField = (tools: readonly string[]): readonly string[] =>
  tools.length === 0
    ? []
    : [`,"tools":[`, ...tools.flatMap((tool, place) => (place === 0 ? [tool] : [",", tool])), "]"];
