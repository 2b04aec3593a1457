/** Says which seed this run uses, so that a failure can be run again with `TEST_SEED=<n> npm test`. */
export function setup(): void {
  console.log(`TEST_SEED=${process.env["TEST_SEED"]}${process.env["TEST_LONG"] ? " TEST_LONG=1" : ""}`);
}
