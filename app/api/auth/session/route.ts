import type { SignedIn } from "#lib/contract/login.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({}, async ({ services, request }) => {
  const { authenticator, cookie } = await services.authentication();
  const username = await authenticator.accountOf(await cookie.read(request));
  const response = Response.json({ username } satisfies SignedIn);
  await cookie.renew(request, response);
  return response;
});
