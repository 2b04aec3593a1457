import { join } from "node:path";
import { z } from "zod";
import { type Address, AddressEntry } from "../../automation/outgoing/index.ts";
import { type HomeFile, homeFile } from "../config/home-file.ts";

/** The addresses of a home that events are sent to, with their secrets. */
export const addressFile = (home: string): HomeFile<readonly Address[]> =>
  homeFile<readonly Address[]>(join(home, "webhook_addresses.json"), (text) =>
    text.trim() === "" ? [] : z.array(AddressEntry).parse(JSON.parse(text)),
  );
