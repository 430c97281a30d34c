import { walletEndedPage, walletNotEndedPage } from "#lib/auth/wallet-page.ts";
import { endSignInOf } from "#lib/chat/caller/sign-ins.ts";
import { done } from "#lib/contract/answers.ts";
import { WALLET_END_BYTES } from "#lib/contract/limits.ts";
import { WalletEndRequest } from "#lib/contract/login.ts";
import { CodedError } from "#lib/errors.ts";
import { isForm, readForm } from "#lib/http/read-form.ts";
import { validate } from "#lib/http/validate.ts";
import { readerLanguage } from "#lib/services/paywall-terms.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/wallet/{id}/end", {
  POST: async ({ services, asked, params: { id }, onRefusal }) => {
    const end = async (body: unknown) => {
      const { endToken } = validate(WalletEndRequest, body);
      const { walletLogins } = await services.authentication();
      return walletLogins.end(id, endToken, (account, proof) => endSignInOf(services.chat, account, proof));
    };
    if (!isForm(asked)) {
      await end(await asked.readJson(WALLET_END_BYTES));
      return done;
    }
    const language = readerLanguage(asked.request);
    let form: unknown = null;
    try {
      form = await readForm(asked, WALLET_END_BYTES);
      return walletEndedPage(await end(form), language);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      onRefusal(error);
      const { data } = WalletEndRequest.safeParse(form);
      return walletNotEndedPage(error, { id, endToken: data?.endToken }, language);
    }
  },
});
