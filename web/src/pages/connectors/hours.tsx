import type { TrafficRow } from "../../../../src/dashboard/api/connector-routes.ts";
import styles from "./connectors.module.css";

const HEIGHT = 22;
const STEP = 5;

/** Messages of the last day: what came up, what went down, an hour a bar. */
export function Hours({ traffic }: { readonly traffic: TrafficRow | undefined }) {
  if (traffic === undefined) return <>–</>;
  const { in: came, out: went } = traffic;
  const most = Math.max(1, ...came, ...went);
  const [inSum, outSum] = [sumOf(came), sumOf(went)];
  const bars = (hours: readonly number[], down: boolean) =>
    hours.map((count, hour) => {
      const height = count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT / 2 - 1));
      return (
        <rect
          key={hour}
          x={hour * STEP}
          y={down ? HEIGHT / 2 + 1 : HEIGHT / 2 - height}
          width={STEP - 1}
          height={height}
          className={styles[down ? "out" : "in"]}
        />
      );
    });
  return (
    <span className={styles["hours"]}>
      <svg
        width={came.length * STEP}
        height={HEIGHT}
        role="img"
        aria-label={`${inSum} messages in and ${outSum} out in the last 24 hours`}
      >
        <line x1={0} x2={came.length * STEP} y1={HEIGHT / 2} y2={HEIGHT / 2} className={styles["axis"]} />
        {bars(came, false)}
        {bars(went, true)}
      </svg>
      <span className={styles["sums"]}>
        {inSum} in, {outSum} out
      </span>
    </span>
  );
}

const sumOf = (hours: readonly number[]): number => hours.reduce((sum, each) => sum + each, 0);
