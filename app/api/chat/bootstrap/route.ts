import { patCookie } from "#lib/chat/access/pat-vault.ts";
import { bootstrap, recordBootstrap } from "#lib/chat/bootstrap/bootstrap.ts";
import { readUserAgent } from "#lib/chat/caller/device.ts";
import type { Bootstrap } from "#lib/contract/answers.ts";
import { areCookiesSecure } from "#lib/http/plain-http.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/bootstrap", {
  POST: ({ services, request, body }) =>
    recordBootstrap(async () => {
      const { chat } = services;
      const { authenticator } = await services.authentication();
      const proof = await authenticator.verifyIdentity(body.accessToken, body.username);
      const signingIn = { proof, userAgent: readUserAgent(request.headers) };
      const community = body.community ?? undefined;
      const { userId, channelId, token } = await bootstrap(chat, body.username, signingIn, community);
      services.http.tokens.vouch(token);
      const response = Response.json({ ok: true, userId, channelId, token } satisfies Bootstrap);
      response.headers.append("set-cookie", patCookie(token, areCookiesSecure(chat.config)));
      return response;
    }),
});
