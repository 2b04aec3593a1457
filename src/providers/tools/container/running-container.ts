import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { SpawnedChild } from "../spawn/child.ts";
import type { ContainerEngine } from "./engine.ts";
import { lastLine } from "./engine-commands.ts";
import { type ContainerPlan, runArguments } from "./run-arguments.ts";
import { CALL, OWN_INSIDE, READY } from "./scripts.ts";

/** The parts of a container that is to be started. */
export interface StartParts {
  readonly engine: ContainerEngine;
  readonly clock: Clock;
  readonly plan: ContainerPlan;
  /** The host's folder with the scripts that run inside, and a file for each call that is to end. */
  readonly own: string;
}

/** The file that keeps a call from starting. */
export const endedFile = (own: string, call: string): string => join(own, "ended", call);

/** Milliseconds: for a start, for a removal, for an end of a call beyond its grace. */
const START_MS = 60_000;
const REMOVE_MS = 20_000;
const END_MS = 10_000;
const GRACE_TENTHS = 20;
const MOST_WORDS = 8192;

/** A container that runs. It ends with this process, whatever ends that: its first program reads from it. */
export class RunningContainer {
  readonly name: string;
  /** Programs that the image has, of those that were looked for. */
  readonly tools: readonly string[];
  readonly #parts: StartParts;
  readonly #child: SpawnedChild;
  #over = false;

  constructor(parts: StartParts, child: SpawnedChild, tools: readonly string[]) {
    this.name = parts.plan.name;
    this.#parts = parts;
    this.#child = child;
    this.tools = tools;
    const end = (): void => void (this.#over = true);
    child.exited.then(end, end);
  }

  /** Whether it has ended: by itself, or by somebody's hand. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Ends what runs of one call, also what would only start now. A container that does not obey is removed. */
  async endCall(call: string): Promise<void> {
    const { engine, own } = this.#parts;
    await writeFile(endedFile(own, call), "");
    if (this.#over) return;
    const args = [
      "exec",
      "--env",
      `${CALL}=end`,
      this.name,
      "/bin/sh",
      `${OWN_INSIDE}/end`,
      call,
      String(GRACE_TENTHS),
    ];
    try {
      const { code } = await engine.commands.run(args, GRACE_TENTHS * 100 + END_MS);
      if (code === 0) return;
    } catch {
      // It hangs, or cannot be started.
    }
    if (!this.#over) await this.remove();
  }

  async remove(): Promise<void> {
    const { commands } = this.#parts.engine;
    const wasOver = this.#over;
    // From now on nothing begins in it, also while its own end is not heard of yet.
    this.#over = true;
    // Where the engine does not answer, the end of the input ends it later.
    if (!wasOver) await commands.run(["rm", "--force", this.name], REMOVE_MS).catch(() => undefined);
    await this.#child.kill();
  }
}

/** Starts a container and waits until it is ready. @throws HostError `tool_failed` */
export async function startContainer(parts: StartParts): Promise<RunningContainer> {
  const { engine, plan, clock } = parts;
  const ready = Promise.withResolvers<readonly string[]>();
  const said = { output: "", errors: "" };
  const listen = (name: keyof typeof said) => (chunk: Uint8Array) => {
    said[name] = (said[name] + Buffer.from(chunk).toString()).slice(-MOST_WORDS);
    const line = said.output.split("\n").find((each, i, all) => each.startsWith(READY) && i < all.length - 1);
    if (line !== undefined) ready.resolve(line.split(" ").slice(1));
  };
  const child = await engine.commands.start(runArguments(engine, plan), {
    output: listen("output"),
    errors: listen("errors"),
  });
  const failed = (why: string): void =>
    ready.reject(
      new HostError(
        "tool_failed",
        `${engine.program} could not start a container of ${engine.settings.image}: ${why}`,
      ),
    );
  const cancel = clock.after(START_MS, () => failed(`it was not ready after ${START_MS / 1000} s`));
  const ended = (): void => {
    const words = lastLine(said.errors) || lastLine(said.output) || "it ended at once";
    failed(
      words.includes(OWN_INSIDE) ? `the engine does not see the folders of this machine (${words})` : words,
    );
  };
  child.exited.then(ended, ended);
  try {
    return new RunningContainer(parts, child, await ready.promise);
  } catch (error) {
    await Promise.all([
      engine.commands.run(["rm", "--force", plan.name], REMOVE_MS).catch(() => undefined),
      child.kill(),
    ]);
    throw error;
  } finally {
    cancel();
  }
}

/** A name that no other container has. */
export const containerName = (): string => `agent-${randomUUID()}`;
