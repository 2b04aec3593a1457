import { useState } from "react";
import { Sheet } from "./sheet.tsx";
import styles from "./app.module.css";

/** A picture of a message; a touch shows it as large as the screen. */
export function Picture({ url }: { readonly url: string }) {
  const [isLarge, setLarge] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles["picture"]}
        aria-label="Show the picture large"
        onClick={() => setLarge(true)}
      >
        <img src={url} alt="" loading="lazy" />
      </button>
      {isLarge ? (
        <Sheet title="Picture" isWhole onClose={() => setLarge(false)}>
          <button
            type="button"
            className={styles["large"]}
            aria-label="Close the picture"
            onClick={() => setLarge(false)}
          >
            <img src={url} alt="" />
          </button>
        </Sheet>
      ) : null}
    </>
  );
}
