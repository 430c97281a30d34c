import { describeDevice, readUserAgent } from "#lib/chat/caller/device.ts";
import type { WalletChallenge } from "#lib/contract/login.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/challenge", {
  POST: async ({ services, request, body, clientAddress }) => {
    const { authenticator, walletLogins, askerCookie } = await services.authentication();
    if (body.via === undefined) return authenticator.challenge(body.username);
    const { program = "", system = "" } = describeDevice(readUserAgent(request.headers));
    const asker = { program, system, address: clientAddress };
    const { askerToken, ...challenge } = walletLogins.ask(body.username, asker);
    const response = Response.json(challenge satisfies WalletChallenge);
    askerCookie.write(response, { id: challenge.id, askerToken });
    return response;
  },
});
