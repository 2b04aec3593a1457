import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { PersonaFields, PersonaName } from "../../people/personas/index.ts";
import { isToolsetName, TOOLSET_LIST } from "./toolset-names.ts";

/** The block `personas`: read only everywhere else. */
export const personasBlock = later(() =>
  z.record(
    PersonaName,
    PersonaFields.refine(({ toolsets = [] }) => toolsets.every(isToolsetName), {
      path: ["toolsets"],
      error: `One of them is no toolset. There are ${TOOLSET_LIST}`,
    }),
  ),
);
