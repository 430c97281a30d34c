import { walletFailurePage, walletPage } from "#lib/auth/wallet-page.ts";
import { WALLET_CODE_BYTES } from "#lib/contract/limits.ts";
import { type SignedByWallet, WalletCode } from "#lib/contract/login.ts";
import { CodedError } from "#lib/errors.ts";
import { isForm, readForm } from "#lib/http/read-form.ts";
import { validate } from "#lib/http/validate.ts";
import { readerLanguage } from "#lib/services/paywall-terms.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/wallet/{id}/code", {
  POST: async ({ services, asked, params: { id }, onRefusal }) => {
    const accept = async (body: unknown) => {
      const { code } = validate(WalletCode, body);
      const { walletLogins } = await services.authentication();
      return walletLogins.acceptWithConsent(id, code);
    };
    if (!isForm(asked)) {
      const { account: username, end, ...signed } = await accept(await asked.readJson(WALLET_CODE_BYTES));
      return { username, ...signed, isEnded: end === "done" } satisfies SignedByWallet;
    }
    const language = readerLanguage(asked.request);
    try {
      return walletPage(await accept(await readForm(asked, WALLET_CODE_BYTES)), id, language);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      onRefusal(error);
      return walletFailurePage(error, language);
    }
  },
});
