export { SharpImageFitter } from "./sharp-image-fitter.ts";
