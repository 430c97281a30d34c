import { log } from "../../log.ts";

/** What was done with the service's rights, on whose word. */
type AuditEntry =
  | {
      action: "delete_post";
      community: string;
      account: string;
      channelId: string;
      postId: string;
      requestId: string;
      outcome: "done" | "failed";
    }
  | {
      /** Giving a found chat user to an account, calling an account's user by its name again, shutting others out. */
      action: "hand_out_user" | "restore_name" | "take_over_user" | "adopt_user";
      account: string;
      userId: string;
      /** The account that the user is bound to. */
      boundTo?: string;
      outcome: "done" | "refused";
    };

/** Writes an act to the audit log: a log line with `audit: true`, whatever `LOG_LEVEL` says. */
export function writeAudit(entry: AuditEntry): void {
  log().child({ audit: true }, { level: "info" }).info(entry, "audit");
}
