import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/challenge", {
  POST: async ({ services, body }) => {
    const { authenticator } = await services.authentication();
    return authenticator.challenge(body.username);
  },
});
