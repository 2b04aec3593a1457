export { ImageFitter } from "./image-fitter.ts";
