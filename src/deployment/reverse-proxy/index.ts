export { openReverseProxy } from "./reverse-proxy.ts";
