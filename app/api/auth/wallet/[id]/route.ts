import {
  walletConsentPage,
  walletDeclinedPage,
  walletFailurePage,
  walletPage,
} from "#lib/auth/wallet-page.ts";
import type { SignedByWallet } from "#lib/contract/login.ts";
import { CodedError } from "#lib/errors.ts";
import { readerLanguage } from "#lib/services/paywall-terms.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/wallet/{id}", {
  GET: async ({ services, request, params: { id }, query: { signature, code, error }, onRefusal }) => {
    const language = readerLanguage(request);
    if (error !== undefined) return walletDeclinedPage(language);
    try {
      const { walletLogins, askerCookie } = await services.authentication();
      if (signature !== undefined) return walletPage(await walletLogins.sign(id, signature), id, language);
      const askerToken = askerCookie.read(request, id);
      if (code === undefined && askerToken === null) throw new CodedError("invalid_request");
      if (code === undefined) return walletPage(await walletLogins.show(id, askerToken), id, language);
      const signed = await walletLogins.acceptCode(id, code, { issuer: "ecency", askerToken });
      return signed.isRecorded
        ? walletPage(signed, id, language, { hidesAddress: true })
        : walletConsentPage(signed, { id, code }, language);
    } catch (failure) {
      const isForPeople = request.headers.get("accept")?.includes("text/html");
      if (!(failure instanceof CodedError) || !isForPeople) throw failure;
      onRefusal(failure);
      return walletFailurePage(failure, language, code === undefined ? {} : { address: "/" });
    }
  },
  POST: async ({ services, params: { id }, body: { signature } }) => {
    const { walletLogins } = await services.authentication();
    const { account: username, end, ...signed } = await walletLogins.sign(id, signature);
    return { username, ...signed, isEnded: end === "done" } satisfies SignedByWallet;
  },
});
