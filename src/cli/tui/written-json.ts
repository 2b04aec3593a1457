import { z } from "zod";
import { type Written, withoutPastes } from "../../tui/input/written.ts";

const TEXT = z.string().transform(withoutPastes);
const WITH_PASTES = z
  .object({ text: z.string(), pastes: z.record(z.string(), z.string()) })
  .transform(({ text, pastes }): Written => ({ text, pastes: new Map(Object.entries(pastes)) }));

/** What is written, as files keep it: a string, or with its pastes an object. */
export const WRITTEN = z.union([TEXT, WITH_PASTES]);

/** Writes it so that `WRITTEN` reads the same again. */
export const jsonOf = ({ text, pastes }: Written): unknown =>
  pastes.size === 0 ? text : { text, pastes: Object.fromEntries(pastes) };
