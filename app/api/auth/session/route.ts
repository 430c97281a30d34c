import { route } from "../../../../lib/http/route.ts";
import { sharedAuthenticator } from "../../../../lib/services/shared-authenticator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const GET = route({}, async ({ request }) => {
  const { authenticator, cookie } = await sharedAuthenticator();
  return { username: await authenticator.accountOf(await cookie.read(request)) };
});
