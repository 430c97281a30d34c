import type { WalletSession } from "#lib/contract/login.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/wallet/{id}/session", {
  POST: async ({ services, request, params: { id }, body: { secret, waitSeconds }, signal }) => {
    const { walletLogins, cookie } = await services.authentication();
    const opened = await walletLogins.open(id, secret, { waitSeconds, signal });
    if (!opened) return { state: "waiting" } as const;
    const { account: username, sessionId, tokens } = opened;
    const response = Response.json({ state: "signed_in", username, ...tokens } satisfies WalletSession);
    await cookie.write(request, response, sessionId);
    return response;
  },
});
