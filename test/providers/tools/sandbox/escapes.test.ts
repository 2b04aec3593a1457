import { execFile } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { timesOr } from "../../../kit/counts.ts";
import type { Escape } from "./escapes/escape.ts";
import { fileEscapes } from "./escapes/file-escapes.ts";
import { gitEscapes } from "./escapes/git-escapes.ts";
import { kernelEscapes } from "./escapes/kernel-escapes.ts";
import { networkEscapes } from "./escapes/network-escapes.ts";
import { KEPT, makeLog, saidIn, scriptOf, type World, world } from "./escapes/world.ts";
import { engine, stage, warmClock, why } from "./sandbox-stage.ts";

const ALL: readonly Escape[] = [...fileEscapes, ...networkEscapes, ...kernelEscapes, ...gitEscapes];
const run = promisify(execFile);

/** Walls that stood before the command was known, or were put up for it. */
type Walls = "ready" | "new";

/** What came of all escapes of one world. */
interface Outcome {
  readonly said: readonly string[];
  readonly went: (escape: Escape) => boolean;
}

const indexOf = (escape: Escape): number => ALL.indexOf(escape);

/** The judgement from outside. */
function judge(at: World, said: readonly string[], alive: boolean): Outcome["went"] {
  return (escape) => {
    const index = indexOf(escape);
    const text = said[index] ?? "";
    switch (escape.by) {
      case "write":
        return existsOrLink(join(at.dir.at("out"), `escape-${index}`));
      case "read":
        return text.includes("canary of");
      case "reach":
        return at.heard.has(`escape-${index}`) || text.includes("through");
      case "call":
        return text.includes("through");
      case "harm":
        return hasHarmed(at, { index, text, script: escape.script, alive });
    }
  };
}

const existsOrLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function hasHarmed(
  { dir }: World,
  { index, text, script, alive }: { index: number; text: string; script: string; alive: boolean },
): boolean {
  const mark = `escape-${index}`;
  if (/VICTIM|victim/.test(script)) return !alive;
  const left = readdirSync(dir.at("ws")).filter((name) => name === `x${mark}`);
  if (left.some((name) => (lstatSync(dir.at("ws", name)).mode & 0o6000) !== 0)) return true;
  if (KEPT.some((name) => readTextOf(dir.at("ws", name)).includes(`obey-${mark}\n`))) return true;
  const target = /(?:>> "\$(PERSON|AGENT)\/([^"]+)"|>> (\/\S+)\))/.exec(script);
  if (target === null) return false;
  const [, place, name, absolute] = target;
  const path = absolute ?? dir.at(place === "PERSON" ? "person" : "agent", name ?? "");
  return text.includes("wrote") && absolute !== undefined
    ? readTextOf(path).includes(`x-${mark}-outside`)
    : readTextOf(path).includes(`obey-${mark}\n`) ||
        (absolute !== undefined && readTextOf(path).includes(`x-${mark}-outside`));
}

function readTextOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** What a person does outside later: ask for the state of every repository. */
async function useRepositories(at: World): Promise<void> {
  const folders = readdirSync(at.dir.at("ws")).map((name) => at.dir.at("ws", name));
  for (const folder of [...folders, at.dir.at("ws/repo/t"), at.dir.at("ws/r2/t")]) {
    if (!existsSync(folder) || !lstatSync(folder).isDirectory()) continue;
    for (const args of [["status"], ["diff"], ["add", "-u"]]) {
      await run("git", args, {
        cwd: folder,
        env: { ...process.env, OUT: at.dir.at("out") },
        timeout: 10_000,
      }).catch(() => undefined);
    }
  }
}

const isAlive = ({ victim }: World): boolean => victim.exitCode === null && victim.signalCode === null;

async function settled(at: World, count: number): Promise<Outcome> {
  const alive = isAlive(at);
  await useRepositories(at);
  const said = await saidIn(at.dir, count);
  return { said, went: judge(at, said, alive) };
}

async function insideOutcome(walls: Walls): Promise<Outcome & { readonly text: string }> {
  await using at = await world(`in-${walls}-${process.pid}`);
  await using other = await stage();
  await makeLog(at.dir);
  const { env, dir } = at;
  const { clock, warm } = warmClock();
  await using inside = await stage(
    {
      roots: [dir.at("ws")],
      apart: [dir.at("agent")],
      home: dir.at("person"),
      tempDir: dir.at("tmp"),
      hosts: ["listed.test", "rebound.test", "*.starred.test"],
      limits: { processes: 300 },
    },
    { clock },
  );
  const otherProxy = join(other.sandbox.tempDir, "../proxy");
  const request = {
    cwd: dir.at("ws"),
    env: { ...env, OTHER: otherProxy, HOSTS_NAME: hostname() },
    warm: true,
  };
  if (walls === "ready") {
    await inside.run("true", request);
    await warm();
  }
  // Not in the workspace, where some of them look for their own words.
  await writeFile(join(inside.sandbox.tempDir, "all"), scriptOf(ALL.map(({ script }) => script)));
  const { text } = await inside.run("echo begun as ${AGENT_SPAWN##*.}; . /tmp/all", request);
  const outcome = await settled(at, ALL.length);
  const went = new Map(ALL.map((escape) => [escape, outcome.went(escape)]));
  return { said: outcome.said, text, went: (escape) => went.get(escape) ?? true };
}

/** The same scripts where there are no walls, one world for each that could spoil it for the others. */
async function controlOutcome(): Promise<Outcome> {
  await using at = await world(`out-${process.pid}`);
  await makeLog(at.dir);
  await using plain = await stage();
  const scripts = ALL.map((escape) => (escape.uncontrolled === undefined ? escape.script : "true"));
  await plain.run(scriptOf(scripts), {
    cwd: at.dir.at("ws"),
    env: { ...at.env, HOME: at.dir.at("person") },
    sandbox: undefined,
  });
  const outcome = await settled(at, ALL.length);
  const went = new Map(ALL.map((escape) => [escape, outcome.went(escape)]));
  return { said: outcome.said, went: (escape) => went.get(escape) ?? false };
}

/** The plain run tries them where walls stood ready: those that are put up for a command are the same. */
const WALLS = timesOr<readonly Walls[]>(["ready", "new"], ["ready"]);

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined).each(WALLS)(`an escape from %s walls ${why}`, (walls) => {
  let inside: Awaited<ReturnType<typeof insideOutcome>>;
  let control: Outcome;

  beforeAll(async () => {
    // Of this process itself: nothing that runs inside may find it.
    process.env["AGENT_TEST_SECRET"] = "canary of the environment";
    inside = await insideOutcome(walls);
    control = await controlOutcome();
    return () => void delete process.env["AGENT_TEST_SECRET"];
  }, 300_000);

  test("was tried in every one of at least 200 ways", () => {
    expect(ALL.length).toBeGreaterThanOrEqual(200);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
    expect(inside.text).toContain("all was tried");
    // The mark tells when its walls were put up: before the second command was asked for, or with the first.
    expect(inside.text).toContain(walls === "ready" ? "begun as 2\n" : "begun as 1\n");
  });

  test.each(ALL.map((escape) => [escape.name, escape] as const))("%s: not from inside", (_name, escape) => {
    expect(inside.went(escape) ? inside.said[indexOf(escape)] || "it went through" : "held").toBe("held");
  });

  test.each(
    ALL.filter(({ uncontrolled }) => uncontrolled === undefined).map(
      (escape) => [escape.name, escape] as const,
    ),
  )("%s: seen to work outside", (_name, escape) => {
    expect(control.went(escape) ? "works" : control.said[indexOf(escape)]).toBe("works");
  });
});
