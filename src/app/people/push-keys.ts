import { z } from "zod";
import type { PushKeys } from "../../member-app/index.ts";
import { homeFile, type HomeTexts } from "../config/home-texts.ts";

const Keys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Gives the keys by which push services know this home. They are made once: with others no device would be reached. */
export function pushKeys(texts: HomeTexts): () => Promise<PushKeys> {
  const file = homeFile<PushKeys | undefined>(texts, "push_keys.json", (text) =>
    text.trim() === "" ? undefined : Keys.parse(JSON.parse(text)),
  );
  let keys: Promise<PushKeys> | undefined;
  const load = async (): Promise<PushKeys> => {
    const known = file.load();
    if (known !== undefined) return known;
    const { default: library } = await import("web-push");
    let made: PushKeys = library.generateVAPIDKeys();
    // Another process may have made them meanwhile.
    await file.change((there) => (made = there ?? made));
    return made;
  };
  return () => (keys ??= load().catch((thrown: unknown) => ((keys = undefined), Promise.reject(thrown))));
}
