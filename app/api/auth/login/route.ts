import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/login", {
  POST: async ({ services, request, body }) => {
    const { authenticator, cookie } = await services.authentication();
    const { username: account, message, signature } = body;
    const { sessionId, tokens } = await authenticator.login({ account, message, signature });
    const response = Response.json(tokens);
    await cookie.write(request, response, sessionId);
    return response;
  },
});
