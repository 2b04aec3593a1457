import type { HostError } from "../../shared/errors/host-error.ts";
import { refusalError } from "../port/answers.ts";

/** https://developer.work.weixin.qq.com/document/path/90313 */
const TOO_FAST: ReadonlySet<unknown> = new Set([45_009, 45_033, 846_607]);
const NOT_THERE: ReadonlySet<unknown> = new Set([40_003, 60_111, 81_013, 86_003, 93_006]);
const BAD_SECRETS: ReadonlySet<unknown> = new Set([40_001, 40_013, 40_056, 42_009]);
const BUSY: ReadonlySet<unknown> = new Set([-1, 6000]);
const BUSY_MS = 1000;

/** The error that an answer with a code is; WeCom answers with status 200. */
export function wecomRefusal({ errcode, errmsg }: Readonly<Record<string, unknown>>): HostError {
  const words = typeof errmsg === "string" ? errmsg : "no reason";
  const message = `${words} (${String(errcode)})`;
  const as = (status: number, retryAfterMs?: number): HostError =>
    refusalError({ platform: "wecom", status, message, retryAfterMs });
  if (TOO_FAST.has(errcode)) return as(429, BUSY_MS);
  if (NOT_THERE.has(errcode)) return as(404);
  if (BAD_SECRETS.has(errcode)) return as(401);
  return as(BUSY.has(errcode) ? 500 : 400);
}
