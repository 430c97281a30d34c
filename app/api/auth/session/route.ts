import type { SignedIn } from "#lib/contract/login.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/session", {
  GET: async ({ services, request }) => {
    const { authenticator, cookie } = await services.authentication();
    const username = await authenticator.accountOf(await cookie.read(request));
    const response = Response.json({ username } satisfies SignedIn);
    await cookie.renew(request, response);
    return response;
  },
});
