import { basename, resolve } from "node:path";
import { type Host, modelChoice, type Session, type UserPart } from "../../core/index.ts";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { readImage } from "../../app/rpc/file-port.ts";
import type { ImageFile } from "../../rpc/ports.ts";

/** The images of `--image`, which go along with the prompt of a run. */
export interface RunImages {
  /** Their parts of the prompt. @throws HostError `command_usage` when the session's model does not look at images */
  partsFor(host: Host, session: Session): Promise<readonly UserPart[]>;
  /** Why the answer was made without them; `undefined` when it was not. */
  unseen(host: Host, session: Session): HostError | undefined;
}

/**
 * Reads the images of `--image`; paths count from the folder where the command was given.
 *
 * @throws HostError `command_usage` for one that is not there, is no image, or is too large
 */
export async function runImages(paths: readonly string[], cwd: string): Promise<RunImages> {
  const images: ImageFile[] = [];
  for (const path of paths) images.push(await imageIn(path, cwd));
  return {
    async partsFor(host, session) {
      if (!seesImages(host, session))
        throw new HostError(
          "command_usage",
          `${nameOf(host, session)} does not look at images. Choose a model that does with -m, or say \`vision: true\` of this one in config.yaml if it does.`,
        );
      return await Promise.all(
        images.map(async ({ path, bytes, mediaType }) => {
          const blob = await host.services.store.putBlob(bytes);
          return { type: "image", blob, mediaType, name: basename(path) } as const;
        }),
      );
    },
    unseen: (host, session) =>
      seesImages(host, session)
        ? undefined
        : new HostError(
            "unsupported_content_type",
            `${nameOf(host, session)} refused the image: the answer was made without it. Choose a model that looks at images with -m.`,
          ),
  };
}

async function imageIn(path: string, cwd: string): Promise<ImageFile> {
  try {
    return await readImage(resolve(cwd, path));
  } catch (cause) {
    throw new HostError("command_usage", `--image: ${messageOf(cause)}`, { cause });
  }
}

const modelFor = (host: Host, { state }: Session) => host.services.models().resolve(modelChoice(state));

/** What is known of the session's model; one of which nothing is known gets a try. */
const seesImages = (host: Host, session: Session): boolean => modelFor(host, session).vision;

function nameOf(host: Host, session: Session): string {
  const { provider, name } = modelFor(host, session);
  return `${provider}:${name}`;
}
