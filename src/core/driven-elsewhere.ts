import type { Owner } from "./owner.ts";

/** Another process drives the session: what was wanted must be asked of it. */
export class DrivenElsewhere extends Error {
  readonly owner: Owner;
  constructor(owner: Owner) {
    super(`The session is driven by process ${owner.pid}.`);
    this.owner = owner;
  }
}
