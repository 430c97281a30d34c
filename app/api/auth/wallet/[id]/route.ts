import { walletFailurePage, walletPage } from "#lib/auth/wallet-page.ts";
import type { SignedByWallet } from "#lib/contract/login.ts";
import { CodedError } from "#lib/errors.ts";
import { readerLanguage } from "#lib/services/paywall-terms.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/wallet/{id}", {
  GET: async ({ services, request, params: { id }, query: { signature }, onRefusal }) => {
    const language = readerLanguage(request);
    try {
      const { walletLogins } = await services.authentication();
      return walletPage(await walletLogins.sign(id, signature), id, language);
    } catch (error) {
      const isForPeople = request.headers.get("accept")?.includes("text/html");
      if (!(error instanceof CodedError) || !isForPeople) throw error;
      onRefusal(error);
      return walletFailurePage(error, language);
    }
  },
  POST: async ({ services, params: { id }, body: { signature } }) => {
    const { walletLogins } = await services.authentication();
    const { account: username, end, ...signed } = await walletLogins.sign(id, signature);
    return { username, ...signed, isEnded: end === "done" } satisfies SignedByWallet;
  },
});
