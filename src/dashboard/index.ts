export { type BackupPort, backupPageRoutes, type BackupRow } from "./api/backup-routes.ts";
export { type ConnectorControl, connectorPageRoutes, type ConnectorRow } from "./api/connector-routes.ts";
export {
  type IncomingCall,
  type IncomingCallDetail,
  type IncomingPort,
  type IncomingRoute,
  incomingPageRoutes,
} from "./api/incoming-routes.ts";
export { type OutgoingPort, outgoingPageRoutes } from "./api/outgoing-routes.ts";
export { type JobPort, jobPageRoutes } from "./api/job-routes.ts";
export { type KbPort, kbPageRoutes } from "./api/kb-routes.ts";
export { type ModelPort, modelPageRoutes, type ModelRow, type ProviderRow } from "./api/model-routes.ts";
export { type LogLine, type LogPort, logPageRoutes } from "./api/log-routes.ts";
export { type MemoryPort, memoryPageRoutes } from "./api/memory-routes.ts";
export { type ClusterState, clusterPageRoutes } from "./api/cluster-routes.ts";
export { type DiskPart, type HealthRow, type SystemPort, systemPageRoutes } from "./api/system-routes.ts";
export { type AttentionItem, type AttentionPort, attentionRoutes } from "./api/attention-routes.ts";
export { type ApprovalRulePort, approvalRoutes } from "./api/approval-routes.ts";
export { type PersonaPort, personaPageRoutes, type PersonaRow } from "./api/persona-routes.ts";
export { type PairingPort, pairingRoutes } from "./api/pairing-routes.ts";
export { skillRoutes } from "./api/skill-routes.ts";
export {
  type ChangedBy,
  type UserImport,
  userPageRoutes,
  type UserRow,
  type UsersPort,
} from "./api/user-routes.ts";
export { usageRoutes } from "./api/usage-routes.ts";
export { type UpdatePort, updatePageRoutes, type UpdateState } from "./api/update-routes.ts";
export { type Dashboard, type DashboardOptions, type Guest, openDashboard } from "./dashboard-server.ts";
export type { OpenIdFetch, OpenIdSettings } from "./sign-in/openid.ts";
export { EntryCodes } from "./sign-in/entry-codes.ts";
export { resetOperator, signOutFromHere } from "./sign-in/from-the-machine.ts";
export { type AuditDraft, type AuditEntry, AuditLog, auditLine } from "./audit/audit-log.ts";
export { CookieSessions } from "./sign-in/cookie-sessions.ts";
