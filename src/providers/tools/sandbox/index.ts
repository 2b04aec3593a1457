export { type AvailabilityOptions, sandboxAvailability } from "./availability.ts";
export { hostProblem } from "./network/host-list.ts";
export { type OpenedSandbox, openSandbox } from "./open-sandbox.ts";
export type {
  BubblewrapEngine,
  FirstProgram,
  SandboxAbsence,
  SandboxAvailability,
  SandboxEngine,
  SandboxLimits,
  SandboxPolicy,
  SandboxTools,
  SeatbeltEngine,
} from "./policy.ts";
export type {
  Disarmed,
  HostDecision,
  HostTarget,
  ProgramStart,
  RefusedHost,
  Sandbox,
  SandboxFindings,
  SandboxHosts,
  WrappedProgram,
} from "./port.ts";
export { type ProbeParts, SandboxProbe, type SandboxStatus } from "./probe.ts";
export { StoredProofs } from "./stored-proofs.ts";
export {
  type EscapeKind,
  type EscapePlaces,
  type EscapeTry,
  type SandboxTest,
  type SandboxTestTools,
  testSandbox,
  tryEscapes,
} from "./self-test.ts";
