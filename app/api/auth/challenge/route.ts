import { describeDevice, readUserAgent } from "#lib/chat/caller/device.ts";
import type { WalletChallenge } from "#lib/contract/login.ts";
import { otherOriginOf } from "#lib/http/headers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/challenge", {
  POST: async ({ services, request, body, clientAddress }) => {
    const { authenticator, walletLogins, askerCookie } = await services.authentication();
    if (body.via === undefined) return authenticator.challenge(body.username);
    const { program = "", system = "" } = describeDevice(readUserAgent(request.headers));
    const asker = {
      program,
      system,
      address: clientAddress,
      site: siteOf(otherOriginOf(request, services.http)),
    };
    const { askerToken, ...challenge } = walletLogins.ask(body.username, asker);
    const response = Response.json(challenge satisfies WalletChallenge);
    askerCookie.write(request, response, { id: challenge.id, askerToken });
    return response;
  },
});

/** Returns the host of an origin, or `?` for one without a host, such as that of a sandboxed frame. */
function siteOf(origin: string | null): string {
  if (origin === null) return "";
  return (URL.canParse(origin) && new URL(origin).host) || "?";
}
