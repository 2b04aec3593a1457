/** Unix milliseconds as the gateway's Unix seconds. */
export const seconds = (ms: number): number => ms / 1000;
