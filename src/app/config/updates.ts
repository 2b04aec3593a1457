import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { key } from "./block.ts";

/** The block `updates`. */
export const updatesBlock = later(() =>
  z.looseObject({
    check: key(z.boolean(), "Ask the package's registry once a day for a newer version.", true),
  }),
);
