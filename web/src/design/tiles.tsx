import styles from "./tiles.module.css";

/** A figure with its name. */
export interface Tile {
  readonly name: string;
  readonly value: string;
  /** More about it, in a few words. */
  readonly more?: string;
}

/** Figures side by side. */
export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
  return (
    <dl className={styles["tiles"]}>
      {tiles.map(({ name, value, more }) => (
        <div key={name} className={styles["tile"]}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {more === undefined ? null : <dd className={styles["more"]}>{more}</dd>}
        </div>
      ))}
    </dl>
  );
}
