import { ecencySignInLink } from "./ecency-links.ts";
import { hivesignerSignInLink } from "./hivesigner-links.ts";

/** The id of a challenge of `auth.askWallet`, and the account that it asks for. */
export type AskedAccount = { id: string; username: string };

const addressOf = (baseUrl: string, path: string) => `${baseUrl.replace(/\/+$/, "")}/api/auth/${path}`;

/** Creates the link with which Ecency Mobile signs a browser in to a gateway. */
export const ecencyGatewayLink = (baseUrl: string, { id, username }: AskedAccount): string =>
  ecencySignInLink({
    callback: addressOf(baseUrl, `wallet/${encodeURIComponent(id)}`),
    requestId: id.slice(id.lastIndexOf(".") + 1),
    account: username,
  });

/** Creates the address at which HiveSigner signs a browser in to a gateway; `app` is the gateway's `HIVESIGNER_APP`. */
export const hivesignerGatewayLink = (
  baseUrl: string,
  { app, id, username }: AskedAccount & { app: string },
): string =>
  hivesignerSignInLink({ app, redirectUri: addressOf(baseUrl, "hivesigner"), state: id, account: username });
