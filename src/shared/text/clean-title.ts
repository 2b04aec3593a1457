import { withoutInvisible } from "./text-threats.ts";

/** Makes one line of a title: without controls, directions and what is not seen; letters and pictures stay joined. */
export const cleanTitle = (text: string): string =>
  withoutInvisible(text.toWellFormed())
    .replaceAll(/[\p{Cf}--[\u200c\u200d]]/gv, "")
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
