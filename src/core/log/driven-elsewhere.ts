import { HostError } from "../../shared/errors/host-error.ts";
import type { Owner } from "../state/owner.ts";

/** `lease_lost`: another process drives the session, and what was wanted must be asked of it. */
export class DrivenElsewhere extends HostError {
  readonly owner: Owner;

  constructor(owner: Owner) {
    super("lease_lost", `Process ${owner.pid} drives this session now.`);
    this.owner = owner;
  }
}
