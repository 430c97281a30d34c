import { describeDevice, readUserAgent } from "#lib/chat/caller/device.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/challenge", {
  POST: async ({ services, request, body, clientAddress }) => {
    const { authenticator, walletLogins } = await services.authentication();
    if (body.via === undefined) return authenticator.challenge(body.username);
    const { program = "", system = "" } = describeDevice(readUserAgent(request.headers));
    return walletLogins.ask(body.username, { program, system, address: clientAddress });
  },
});
