import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Account } from "../port/platform.ts";

/** The schema of the own keys of the block `extra` of DingTalk. */
export const DingtalkExtraWire = z.looseObject({
  card_template: z.string().min(1).optional(),
});

/** The owner's template of cards, with which answers grow and questions have buttons. @throws HostError `config_invalid` */
export function cardTemplate({ extra }: Account): string | undefined {
  const read = DingtalkExtraWire.safeParse(extra);
  if (read.success) return read.data.card_template;
  throw new HostError(
    "config_invalid",
    "platforms.dingtalk.extra.card_template is not valid: write the id of a template, which ends in .schema.",
  );
}
