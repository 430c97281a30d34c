import type { Backend } from "../backend.ts";
import { makeId } from "../id.ts";
import { type AccessTokenRow, insertAccessToken } from "../model/access-tokens.ts";

/** A new personal access token, switched on. */
export function createAccessToken(backend: Backend, userId: string, description: string): AccessTokenRow {
  const row: AccessTokenRow = {
    id: makeId(),
    token: makeId(),
    user_id: userId,
    description,
    is_active: 1,
    create_at: backend.clock.now(),
  };
  insertAccessToken(backend.db, row);
  return row;
}
