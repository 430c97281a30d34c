import { z } from "zod";
import type { Caller } from "./backend.ts";
import { Done } from "./done.ts";
import { path } from "./path.ts";

const Session = z.object({
  id: z.string(),
  props: z.object({ user_access_token_id: z.string().optional() }).nullish(),
});

/** The sessions of a user; that of a personal access token names the token's id. */
export async function listSessions(caller: Caller, userId: string): Promise<z.infer<typeof Session>[]> {
  return (await caller.call("GET", path`/users/${userId}/sessions`, z.array(Session).nullable())) ?? [];
}

/** Ends all sessions of a user; a personal access token gets a new one with its next use. */
export async function endAllSessions(admin: Caller, userId: string): Promise<void> {
  await admin.call("POST", path`/users/${userId}/sessions/revoke/all`, Done);
}

/** Ends the caller's session. A personal access token gets a new one with its next use. */
export async function endOwnSession(caller: Caller): Promise<void> {
  await caller.call("POST", "/users/logout", Done);
}
