import { randomBytes } from "node:crypto";
import type { Backend } from "./backend.ts";
import { readSetting, writeSetting } from "./model/preferences.ts";
import { createAccessToken, hashPassword } from "./operations/authenticate.ts";
import { createUser } from "./operations/create-user.ts";
import { createTeam } from "./operations/teams.ts";

/** What an operator hands to a gateway. */
export type Operator = { adminId: string; adminToken: string; teamId: string };

/** Of a server that nobody has set up. */
export const nobody: Operator = { adminId: "", adminToken: "", teamId: "" };

// With an underscore no chain account can ever have the name.
const ADMIN_NAME = "hivegate_admin";

function read(backend: Backend): Operator | null {
  const stored = readSetting(backend.db, "operator");
  return stored ? (JSON.parse(stored) as Operator) : null;
}

/** The admin with their token and the team, made on the first start and the same ever after. */
export async function ensureOperator(backend: Backend): Promise<Operator> {
  const present = read(backend);
  if (present) return present;
  const passwordHash = await hashPassword(randomBytes(24).toString("hex"));
  return backend.transact(() => {
    const admin = createUser(backend, {
      username: ADMIN_NAME,
      email: "admin@sandbox.invalid",
      passwordHash,
    });
    const team = createTeam(backend, admin, { name: "hivegate", display_name: "Hivegate", type: "I" });
    const { token } = createAccessToken(backend, admin.id, "gateway");
    const operator = { adminId: admin.id, adminToken: token, teamId: team.id };
    writeSetting(backend.db, "operator", JSON.stringify(operator));
    return operator;
  });
}
