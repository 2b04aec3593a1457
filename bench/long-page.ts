import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fullBrowser, openTestBrowser } from "../test/dashboard/browser.ts";
import { startDashboard } from "../test/dashboard/start-dashboard.ts";
import { CommandStage } from "../test/kit/command.ts";
import { longSessionFile } from "../test/kit/long-session.ts";
import { report } from "./figures.ts";

/**
 * The page of a session of 10,000 events in Chromium: scrolled from its end to its beginning by the wheel, older messages
 * being read on the way, and back. The longest task of the page's main thread: on a busy machine the processor's time is the page's own.
 */
const TURNS = 1250;
const STEP_PIXELS = 1200;

await using stage = new CommandStage();
const file = join(stage.folder, "long.jsonl");
writeFileSync(file, longSessionFile(TURNS));
const done = await stage.run(["sessions", "import", file, "--title", "A long one"]);
if (done.code !== 0) throw new Error(done.stderr);
const address = await startDashboard(stage);
await using browser = await openTestBrowser(fullBrowser);
const page = await browser.open(address);
await page.getByRole("link", { name: "Sessions" }).click();
await page.getByRole("link", { name: "A long one" }).waitFor();

const chromium = page.context().browser();
if (chromium === null) throw new Error("The page has no browser.");

/** An event of the browser's trace; microseconds, `tdur` those of the processor. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/** Milliseconds of each task of the page's main thread while something is done, by the processor's clock and by the wall's. */
async function tasksOf(name: string, work: () => Promise<void>): Promise<void> {
  await chromium?.startTracing(page, { categories: ["toplevel", "devtools.timeline", "__metadata"] });
  await work();
  const trace = JSON.parse((await chromium?.stopTracing())?.toString() ?? "{}") as {
    readonly traceEvents: readonly (TraceEvent & { readonly args?: { readonly name?: string } })[];
  };
  const mains = new Set(
    trace.traceEvents
      .filter(({ name: kind, args }) => kind === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = trace.traceEvents.filter(
    (event) => event.name.endsWith("RunTask") && mains.has(`${event.pid} ${event.tid}`),
  );
  const longest = (key: "dur" | "tdur"): number =>
    Math.max(0, ...tasks.map((task) => (task[key] ?? 0) / 1000));
  report(`${name}, longest task of ${tasks.length}, processor`, longest("tdur"), {
    unit: "ms",
    goal: { value: 100 },
  });
  report(`${name}, longest task, wall clock`, longest("dur"), { unit: "ms" });
}

const area = page.getByRole("region", { name: "Conversation" });
const first = area.getByText("Question 1", { exact: true });
const last = area.getByText(`Question ${TURNS}`, { exact: true });

/** Turns the wheel until something is seen. */
async function wheelTo(goal: typeof first, pixels: number): Promise<void> {
  for (let steps = 0; !(await goal.isVisible()); steps += 1) {
    if (steps > 4000) throw new Error("It was not reached.");
    await page.mouse.wheel(0, pixels);
  }
}

await tasksOf("open", async () => {
  await page.getByRole("link", { name: "A long one" }).click();
  await last.waitFor();
});
const bounds = await area.boundingBox();
if (bounds === null) throw new Error("The conversation is not there.");
await page.mouse.move(bounds.x + bounds.width / 2, bounds.y + bounds.height / 2);
await tasksOf("scroll up", () => wheelTo(first, -STEP_PIXELS));
await tasksOf("scroll down", () => wheelTo(last, STEP_PIXELS));
