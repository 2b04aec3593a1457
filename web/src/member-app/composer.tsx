import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { IconButton, PictureIcon, SendIcon, StopIcon } from "./icons.tsx";
import { shrunkPicture } from "./shrink-picture.ts";
import styles from "./app.module.css";

const MOST_PICTURES = 6;
/** Characters that the server takes in one message. */
const LONGEST = 100_000;

interface ComposerProps {
  /** The draft of this conversation is kept under it. */
  readonly draftOf: string;
  readonly onSend: (text: string, images: readonly string[]) => void;
  /** Nothing was written there yet: with a keyboard one begins at once. */
  readonly isNew?: boolean;
  /** There is an answer to stop. */
  readonly onStop?: (() => void) | undefined;
}

/** The place where one writes. */
export function Composer({ draftOf, isNew = false, onSend, onStop }: ComposerProps) {
  const [text, setText] = useDraft(draftOf);
  const [pictures, setPictures] = useState<readonly string[]>([]);
  const [fault, setFault] = useState<string>();
  const area = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const isEmpty = text.trim() === "" && pictures.length === 0;
  const isTooLong = text.length > LONGEST;

  useEffect(() => {
    const { current } = area;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);

  const take = async (chosen: readonly File[]): Promise<void> => {
    setFault(undefined);
    try {
      const made = await Promise.all(chosen.map((file) => shrunkPicture(file)));
      setPictures((known) => [...known, ...made].slice(0, MOST_PICTURES));
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  const send = (event?: FormEvent): void => {
    event?.preventDefault();
    if (isEmpty || isTooLong) return;
    onSend(text, pictures);
    setText("");
    setPictures([]);
    area.current?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    // On a phone the return key makes a line, as in every other chat.
    if (event.key !== "Enter" || event.shiftKey || isPhone() || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const paste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files].filter(({ type }) => type.startsWith("image/"));
    if (pasted.length === 0) return;
    event.preventDefault();
    void take(pasted);
  };

  return (
    <form className={styles["composer"]} onSubmit={send}>
      {fault === undefined && !isTooLong ? null : (
        <p className={styles["fault"]} role="alert">
          {isTooLong ? TOO_LONG : fault}
        </p>
      )}
      <Pictures
        pictures={pictures}
        onDrop={(at) => setPictures(pictures.filter((_, index) => index !== at))}
      />
      <div className={styles["write"]}>
        <IconButton label="Add a picture" onClick={() => files.current?.click()}>
          <PictureIcon />
        </IconButton>
        <FileInput place={files} onChoose={(chosen) => void take(chosen)} />
        <textarea
          ref={area}
          rows={1}
          // On a phone its keyboard would cover half of what is there to be read.
          autoFocus={isNew && !isPhone()}
          aria-label="Message"
          placeholder="Message"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKey}
          onPaste={paste}
          enterKeyHint={isPhone() ? "enter" : "send"}
        />
        {onStop !== undefined && isEmpty ? (
          <IconButton label="Stop" isPrimary onClick={onStop}>
            <StopIcon />
          </IconButton>
        ) : (
          <IconButton label="Send" isPrimary type="submit" disabled={isEmpty || isTooLong}>
            <SendIcon />
          </IconButton>
        )}
      </div>
    </form>
  );
}

const TOO_LONG = `This is too long to send: a message has at most ${LONGEST.toLocaleString("en")} characters.`;

/** What is being written, kept for the next time that its conversation is open. */
function useDraft(draftOf: string) {
  const key = `app:draft:${draftOf}`;
  const [text, setText] = useState(() => localStorage.getItem(key) ?? "");
  const kept = useRef(key);
  useEffect(() => {
    keepDraft(key, text);
    // A conversation that was made meanwhile has another name.
    if (kept.current !== key) localStorage.removeItem(kept.current);
    kept.current = key;
  }, [key, text]);
  return [text, setText] as const;
}

function keepDraft(key: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // More than the browser keeps: it is there for as long as the page is.
  }
}

const isPhone = (): boolean => matchMedia("(pointer: coarse)").matches;

interface FileInputProps {
  readonly place: RefObject<HTMLInputElement | null>;
  readonly onChoose: (files: readonly File[]) => void;
}

/** On a phone this asks whether the camera or a file is meant. */
const FileInput = ({ place, onChoose }: FileInputProps) => (
  <input
    ref={place}
    type="file"
    accept="image/*"
    multiple
    hidden
    onChange={({ target }) => {
      onChoose([...(target.files ?? [])]);
      target.value = "";
    }}
  />
);

interface PicturesProps {
  readonly pictures: readonly string[];
  readonly onDrop: (at: number) => void;
}

const Pictures = ({ pictures, onDrop }: PicturesProps) =>
  pictures.length === 0 ? null : (
    <ul className={styles["pictures"]}>
      {pictures.map((url, at) => (
        <li key={url.slice(-64)}>
          <button type="button" aria-label={`Take picture ${at + 1} out`} onClick={() => onDrop(at)}>
            <img src={url} alt="" />
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
