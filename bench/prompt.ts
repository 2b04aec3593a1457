import { KnowledgeStage } from "../test/providers/knowledge/knowledge-stage.ts";
import { EMPTY_STATE, type SessionState } from "../src/core/index.ts";
import { median, report } from "./figures.ts";

/** What skills, memory and the files of a project add to the time before the first token. */
const TURNS = 300;

for (const count of [0, 20, 200]) {
  using stage = new KnowledgeStage();
  stage.write("work/.git/HEAD", "");
  stage.write("work/AGENTS.md", "Use tabs.\n".repeat(200));
  stage.write("home/memories/MEMORY.md", "- Something that matters.\n".repeat(50));
  for (let index = 0; index < count; index += 1)
    stage.skill(`area-${index % 5}/skill-${index}`, "Do it.\n".repeat(100), "What is done here. ".repeat(5));
  const { knowledge, workspace: cwd } = stage;
  await knowledge.skills.ready(cwd);
  const files = { name: "files", label: "", description: "", tools: [], configured: true };
  const toolsets = [files, ...knowledge.toolsets];
  const tools = toolsets.flatMap((set) => set.tools);
  const state: SessionState = { ...EMPTY_STATE, cwd, roots: [cwd], platform: "cli" };
  const took: number[] = [];
  let text = "";
  for (let index = 0; index < TURNS; index += 1) {
    const started = performance.now();
    text = await knowledge.systemPrompt({ id: `s${index % 10}`, state, tools, toolsets });
    took.push(performance.now() - started);
  }
  report(`system prompt, ${count} skills, ${text.length} characters`, median(took.slice(20)), { unit: "ms" });
}
