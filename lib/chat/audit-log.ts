import { log } from "../log.ts";

/** What was done with the service's rights, on whose word. */
type AuditEntry = {
  action: "delete_post";
  community: string;
  account: string;
  channelId: string;
  postId: string;
  requestId: string;
  outcome: "done" | "failed";
};

/** Writes an act to the audit log: a log line with `audit: true`, whatever `LOG_LEVEL` says. */
export function writeAudit(entry: AuditEntry): void {
  log().child({ audit: true }, { level: "info" }).info(entry, "audit");
}
