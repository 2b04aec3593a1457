import { messageOf } from "../../../shared/errors/host-error.ts";
import type { SandboxAbsence } from "../sandbox/policy.ts";
import type { ContainerEngine } from "./engine.ts";

const LOOK_MS = 15_000;
const PULL_MS = 15 * 60_000;

/** Looks for the image, and fetches it if that is wanted; resolves with what stands against it. */
export async function whyNoImage(engine: ContainerEngine): Promise<SandboxAbsence | undefined> {
  const { commands, settings, program } = engine;
  const { image, pull } = settings;
  try {
    const found = await commands.run(["image", "inspect", "--format", "{{.Os}}", image], LOOK_MS);
    if (found.code === 0) return whyOther(found.text.trim(), image);
    if (pull === "never") {
      return {
        available: false,
        reason: `The image ${image} is not here.`,
        advice: `Get it: ${program} pull ${image}, or let it be fetched: container.pull: missing.`,
      };
    }
    const pulled = await commands.run(["pull", "--quiet", image], PULL_MS);
    if (pulled.code === 0) return undefined;
    return unfetched(engine, pulled.problem || `it ended with ${pulled.code}`);
  } catch (error) {
    return unfetched(engine, messageOf(error).replace(/\.$/, ""));
  }
}

const whyOther = (system: string, image: string): SandboxAbsence | undefined =>
  system === "linux" || system === ""
    ? undefined
    : { available: false, reason: `The image ${image} is for ${system}.`, advice: "Choose one for Linux." };

const unfetched = ({ program, settings: { image } }: ContainerEngine, why: string): SandboxAbsence => ({
  available: false,
  reason: `The image ${image} could not be had: ${why}.`,
  advice: `Try it in a shell: ${program} pull ${image}.`,
});
