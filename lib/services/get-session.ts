import { headers } from "next/headers";
import { accountOf } from "./paywall-terms.ts";
import { processServices } from "./process-services.ts";

/**
 * Returns the user who is signed in to this app, or null, for server components, server actions and route
 * handlers called by Next. The account is that of `POST /api/auth/login`, whose cookie the browser sent.
 * @throws CodedError `degraded` while the store is unreachable
 */
export async function getSession(): Promise<{ username: string } | null> {
  const cookie = (await headers()).get("cookie");
  const request = new Request("http://localhost", { headers: cookie === null ? {} : { cookie } });
  const username = await accountOf(processServices(), request);
  return username === null ? null : { username };
}
