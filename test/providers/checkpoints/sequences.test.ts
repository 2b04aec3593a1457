import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { deepEqual, equal } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { afterAll, expect, test } from "vitest";
import { random, seed, times } from "../../kit/counts.ts";
import { command, edit, lookFirst, makePlace, nextCursor, type Place, treeOf } from "./engine-kit.ts";

const SEQUENCES = times(1000);
const STEPS = 14;

type Tree = Readonly<Record<string, string>>;

/** A change as the model knows it: the whole tree before and after, and the paths that a tool named. */
interface ModelStep {
  readonly session: string;
  readonly cursor: number;
  readonly before: Tree;
  readonly after: Tree;
  readonly named?: readonly string[];
}

const NAMES = ["a", "b", "c.txt", "d/e", "d/f", "d/g/h", "i/j", "k"];

afterAll(() => console.log(`sequences: ${SEQUENCES}, TEST_SEED=${seed}`));

test(`after ${SEQUENCES} random sequences of edits, commands, outside changes, rewinds and forks, files are what the model says`, () => {
  let ran = 0;
  for (; ran < SEQUENCES; ran += 1) {
    using place = makePlace();
    new Sequence(place, random(ran), `sequence ${ran}, TEST_SEED=${seed}`).run();
  }
  expect(ran).toBe(SEQUENCES);
}, 600_000);

/** One random sequence, with its model. */
class Sequence {
  readonly #place: Place;
  readonly #next: () => number;
  readonly #where: string;
  readonly #steps: ModelStep[] = [];
  #sessions = ["s0", "s1"];

  constructor(place: Place, next: () => number, where: string) {
    this.#place = place;
    this.#next = next;
    this.#where = where;
  }

  run(): void {
    const { root, top, engine } = this.#place;
    mkdirSync(join(top, "outside"));
    writeFileSync(join(top, "outside/a"), "untouched");
    const outside = treeOf(join(top, "outside"));
    for (let count = 0; count < 6; count += 1) this.#mutate(this.#pick(NAMES));
    lookFirst(engine, root);
    for (let step = 0; step < STEPS; step += 1) this.#step();
    deepEqual(treeOf(join(top, "outside")), outside, this.#where);
  }

  #step(): void {
    const kind = this.#next();
    if (kind < 0.25) this.#edit();
    else if (kind < 0.55) this.#command();
    else if (kind < 0.7) this.#mutate(this.#pick(NAMES));
    else if (kind < 0.93) this.#rewind();
    else this.#fork();
  }

  #edit(): void {
    const [session, name] = [this.#pick(this.#sessions), this.#pick(NAMES)];
    const path = join(this.#place.root, name);
    if (!isWritable(this.#place.root, name)) return;
    const before = treeOf(this.#place.root);
    const cursor = edit(this.#place, { session, turn: `t${this.#steps.length}`, paths: [name] }, () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, this.#text());
    });
    const parts = name.split("/");
    const named = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    this.#steps.push({ session, cursor, before, after: treeOf(this.#place.root), named });
  }

  #command(): void {
    const session = this.#pick(this.#sessions);
    const before = treeOf(this.#place.root);
    const cursor = command(this.#place, { session, turn: `t${this.#steps.length}` }, () => {
      for (let count = 0; count < 1 + this.#next() * 3; count += 1) this.#mutate(this.#pick(NAMES));
    });
    this.#steps.push({ session, cursor, before, after: treeOf(this.#place.root) });
  }

  #rewind(): void {
    const { engine, root } = this.#place;
    const own = this.#steps.filter(({ session }) => this.#sessions.includes(session));
    if (own.length === 0) return;
    const { session, cursor: from } = this.#pick(own);
    const before = treeOf(root);
    const expected = this.#expected(session, from, before);
    const cursor = nextCursor();
    const end = engine.restore({ session, after: from - 1, cursor, label: "rewind" });
    const after = treeOf(root);
    const restored = new Set(end.restored.map((path) => path.slice(root.length + 1)));
    const failed = new Set(end.failed.map(({ path }) => path.slice(root.length + 1)));
    const conflicts = end.conflicts.map(({ path }) => path.slice(root.length + 1));
    deepEqual(new Set(conflicts), expected.conflicts, this.#where);
    for (const path of new Set([...Object.keys(before), ...Object.keys(after), ...expected.targets.keys()])) {
      const wanted = restored.has(path) ? expected.targets.get(path) : before[path];
      equal(after[path], wanted, `${this.#where}: ${path} after ${JSON.stringify(end)}`);
    }
    for (const path of expected.targets.keys())
      equal(restored.has(path) || failed.has(path), true, `${this.#where}: ${path} was forgotten`);
    // A folder that holds other files stays, and what should lie in one that is gone cannot come back.
    if (expected.conflicts.size === 0 && failed.size > 0)
      equal(this.#hasOthers(session), true, `${this.#where}: ${JSON.stringify(end.failed)}`);
    if (end.restored.length > 0) {
      const named = [...expected.targets.keys()];
      this.#steps.push({ session, cursor, before, after, named });
    }
  }

  #fork(): void {
    if (this.#steps.length === 0) return;
    const { session, cursor } = this.#pick(this.#steps);
    const fork = `fork${this.#sessions.length}`;
    this.#place.engine.copy(session, fork, cursor - 1);
    const copied = this.#steps.filter((step) => step.session === session && step.cursor < cursor);
    this.#steps.push(...copied.map((step) => ({ ...step, session: fork })));
    this.#sessions = [...this.#sessions, fork];
  }

  /** Somebody else than the session was at work. */
  #hasOthers(session: string): boolean {
    const last = this.#steps.at(-1);
    const untouched = this.#steps.every(
      (step, at) => step.session === session && (at === 0 || isSame(this.#steps[at - 1]?.after, step.before)),
    );
    return !untouched || !isSame(last?.after, treeOf(this.#place.root));
  }

  #expected(session: string, from: number, now: Tree) {
    const steps = this.#steps
      .filter((step) => step.session === session && step.cursor >= from)
      .sort((a, b) => a.cursor - b.cursor);
    const targets = new Map<string, string | undefined>();
    const conflicts = new Set<string>();
    // A rewind names what it could not put back too: that is in neither tree.
    const paths = new Set(
      steps.flatMap(({ before, after, named = [] }) => [
        ...Object.keys(before),
        ...Object.keys(after),
        ...named,
      ]),
    );
    for (const path of paths) {
      const chain = steps.filter(
        ({ before, after, named }) =>
          named?.includes(path) === true || (named === undefined && before[path] !== after[path]),
      );
      const [first, last] = [chain[0], chain.at(-1)];
      if (first === undefined || last === undefined || now[path] === first.before[path]) continue;
      const broken = chain.some((step, at) => at > 0 && chain[at - 1]?.after[path] !== step.before[path]);
      if (broken || now[path] !== last.after[path]) conflicts.add(path);
      else targets.set(path, first.before[path]);
    }
    return { targets, conflicts };
  }

  /** Something that a program or a person may do to a path. */
  #mutate(name: string): void {
    const { root, top } = this.#place;
    const path = join(root, name);
    const kind = this.#next();
    if (kind < 0.2) rmSync(path, { recursive: true, force: true });
    else if (kind < 0.3) rmSync(join(root, this.#pick(["d", "i", "d/g"])), { recursive: true, force: true });
    else if (kind < 0.4 && existsSync(path) && lstatSync(path).isFile())
      chmodSync(path, this.#pick([0o600, 0o755, 0o444]));
    else if (kind < 0.5) this.#rename(name);
    else if (isWritable(root, name)) {
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { recursive: true, force: true });
      if (kind < 0.6) symlinkSync(this.#pick([join(top, "outside"), "a", "nowhere"]), path);
      else if (kind < 0.7) mkdirSync(path);
      else writeFileSync(path, this.#text());
    }
  }

  #rename(name: string): void {
    const { root } = this.#place;
    const to = this.#pick(NAMES);
    const [from, target] = [join(root, name), join(root, to)];
    const fits = existsSync(from) && !to.startsWith(`${name}/`) && !name.startsWith(`${to}/`) && to !== name;
    if (!fits || !isWritable(root, to) || !isWritable(root, name)) return;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { recursive: true, force: true });
    renameSync(from, target);
  }

  #text(): string {
    return `${Math.floor(this.#next() * 4)}\n`.repeat(1 + Math.floor(this.#next() * 3));
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.#next() * from.length)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }
}

const isSame = (a: Tree | undefined, b: Tree): boolean => a !== undefined && isDeepStrictEqual(a, b);

/** Its folders are folders, or not there, and it is no link or folder itself. */
function isWritable(root: string, name: string): boolean {
  const parts = name.split("/");
  for (let at = 1; at < parts.length; at += 1) {
    const stat = lstatSync(join(root, ...parts.slice(0, at)), { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) return false;
  }
  const stat = lstatSync(join(root, name), { throwIfNoEntry: false });
  return stat === undefined || stat.isFile();
}
