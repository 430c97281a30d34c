import { route } from "../../../lib/http/route.ts";
import { sharedAuthenticator } from "../../../lib/services/shared-authenticator.ts";

export { preflight as OPTIONS } from "../../../lib/http/headers.ts";

export const GET = route({ cache: "public, max-age=300" }, async () => {
  const { publicKeys } = await sharedAuthenticator();
  return publicKeys;
});
