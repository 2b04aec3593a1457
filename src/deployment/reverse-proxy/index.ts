export { openFront } from "./front.ts";
