// The door of the supervisor: decisions, processes, and the loop around them.

export { decisionLine, evidenceLine } from "./explain.ts";
export { POLICY, type Policy } from "./policy.ts";
export type { SupervisorReport } from "./report.ts";
export { type ReportServer, serveReport } from "./report-server.ts";
export type { Decision } from "./sizing.ts";
export { type Pool, type Reading, Supervisor } from "./supervisor.ts";
export { WorkerPool } from "./worker-pool.ts";
export { startWorkers, type WorkerCommand } from "./worker-process.ts";
