import {
  walletDeclinedPage,
  walletFailurePage,
  walletOtherBrowserPage,
  walletPage,
} from "#lib/auth/wallet-page.ts";
import { CodedError } from "#lib/errors.ts";
import { readerLanguage } from "#lib/services/paywall-terms.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/hivesigner", {
  GET: async ({ services, request, query: { code, state: id, error }, onRefusal }) => {
    if (services.config.hivesignerApp === null) throw new CodedError("not_found");
    const language = readerLanguage(request);
    if (error !== undefined) return walletDeclinedPage(language);
    if (code === undefined) throw new CodedError("invalid_request");
    try {
      const { walletLogins, askerCookie } = await services.authentication();
      const askerToken = askerCookie.read(request, id);
      const signed = await walletLogins.acceptCode(id, code, { issuer: "hivesigner", askerToken });
      if (signed.isRecorded) return walletPage(signed, id, language, { hidesAddress: true });
      onRefusal(new CodedError("unauthorized"));
      return walletOtherBrowserPage(language);
    } catch (failure) {
      const isForPeople = request.headers.get("accept")?.includes("text/html");
      if (!(failure instanceof CodedError) || !isForPeople) throw failure;
      onRefusal(failure);
      return walletFailurePage(failure, language, { address: "/" });
    }
  },
});
