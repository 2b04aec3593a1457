import { createHash } from "node:crypto";

/** Characters of a name that every model endpoint takes. */
const LONGEST = 64;
const MARK = 6;

/** A name of its own among all tools, in the letters that model endpoints take. */
export function toolName(server: string, tool: string): string {
  const wanted = `mcp_${server}_${tool}`;
  const name = wanted.replace(/[^A-Za-z0-9_-]/g, "_");
  return name.length <= LONGEST && name === wanted ? name : markedName(name, `${server}\0${tool}`);
}

/** A name like one that is taken, or would not do; always the same for the same thing. */
export function markedName(name: string, of: string): string {
  const mark = createHash("sha256").update(of).digest("hex").slice(0, MARK);
  return `${name.slice(0, LONGEST - MARK - 1)}_${mark}`;
}
