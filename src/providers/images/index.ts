export { SharpImageFitter } from "./image-fitter.ts";
