import { hiveMessageLink } from "./hive-links.ts";

/** A challenge of `auth.askWallet`: the text to sign, and the id of the address at which the wallet answers. */
export type LinkChallenge = { id: string; message: string };

/** Returns the address at which a wallet answers a challenge, with the placeholder of `hive://` links for the signature. */
export const walletAnswerUrl = (baseUrl: string, { id }: Pick<LinkChallenge, "id">): string =>
  `${baseUrl.replace(/\/+$/, "")}/api/auth/wallet/${encodeURIComponent(id)}?signature={{sig}}`;

/** Creates the link, or the text of a QR code, with which Keychain Mobile signs a browser in to a gateway. */
export const keychainSignInLink = (
  baseUrl: string,
  { username, ...challenge }: LinkChallenge & { username: string },
): string =>
  hiveMessageLink(challenge.message, { account: username, callback: walletAnswerUrl(baseUrl, challenge) });
