import { useCallback, useRef, useState } from "react";

/** A prompt that is being written. */
interface WrittenPrompt {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Gives the gateway's name for a text: until it is taken, each try to send it has the same one, and it runs once. */
  readonly refOf: (sent: string) => string;
  /** Takes away what was sent; what was written meanwhile stays. */
  readonly taken: (sent: string) => void;
}

/** Keeps a prompt while it is written and sent. @param draft - what stands there at first */
export function usePrompt(draft: string): WrittenPrompt {
  const [text, setText] = useState(draft);
  const tried = useRef<{ readonly text: string; readonly ref: string }>(undefined);
  const refOf = useCallback((sent: string) => {
    if (tried.current?.text !== sent) tried.current = { text: sent, ref: newRef() };
    return tried.current.ref;
  }, []);
  const taken = useCallback((sent: string) => {
    tried.current = undefined;
    setText((now) => (now.startsWith(sent) ? now.slice(sent.length).trimStart() : now));
  }, []);
  return { text, setText, refOf, taken };
}

/** Makes a name that no other prompt has. Where pages come without TLS, browsers have no `randomUUID`. */
const newRef = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
