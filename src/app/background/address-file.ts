import { z } from "zod";
import { type Address, AddressEntry } from "../../automation/outgoing/index.ts";
import { type HomeFile, homeFile, type HomeTexts } from "../config/home-texts.ts";

/** The addresses of a home that events are sent to, with their secrets. */
export const addressFile = (texts: HomeTexts): HomeFile<readonly Address[]> =>
  homeFile<readonly Address[]>(texts, "webhook_addresses.json", (text) =>
    text.trim() === "" ? [] : z.array(AddressEntry).parse(JSON.parse(text)),
  );
