import type { Gateway } from "./gateway.ts";

interface KnownImage {
  readonly sessionId: string;
  readonly path: string;
  /** What stands for it in a prompt. */
  readonly mark: string;
  /** The gateway sends it with the next prompt. */
  readonly attached: boolean;
}

/** The images that were put into prompts. One goes along with a prompt exactly when its mark stands in the text. */
export class PromptImages {
  #known: readonly KnownImage[] = [];

  /** Takes an image that was just attached. @returns its mark */
  add(sessionId: string, { path, name }: { readonly path: string; readonly name: string }): string {
    const mark = `[image ${name}]`;
    const others = this.#known.filter((each) => each.path !== path || each.sessionId !== sessionId);
    this.#known = [...others, { sessionId, path, mark, attached: true }];
    return mark;
  }

  /** Attaches what a prompt names and takes back what it does not name any more. */
  async match(sessionId: string, text: string, gateway: Pick<Gateway, "request">): Promise<void> {
    const left = new Map<string, number>();
    const marked: KnownImage[] = [];
    for (const image of this.#known.filter((each) => each.sessionId === sessionId)) {
      const most = left.get(image.mark) ?? text.split(image.mark).length - 1;
      left.set(image.mark, most - 1);
      const { path, attached } = image;
      if (most > 0 && !attached) await gateway.request("image.attach", { session_id: sessionId, path });
      if (most <= 0 && attached) await gateway.request("image.detach", { session_id: sessionId, path });
      marked.push({ ...image, attached: most > 0 });
    }
    this.#known = [...this.#known.filter((each) => each.sessionId !== sessionId), ...marked];
  }

  /** The prompt is on its way, with its images: none is attached any more. */
  sent(sessionId: string): void {
    this.#known = this.#known.map((each) =>
      each.sessionId === sessionId ? { ...each, attached: false } : each,
    );
  }
}
