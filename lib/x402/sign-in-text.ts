/** The name of the extension, and of the header, by which an account returns to its purchases. */
export const SIGN_IN_WITH_X = "sign-in-with-x";
/** The type of a signature by an account's posting authority. */
export const SIGN_IN_TYPE = "hive-posting";
/** Maximum length of the header: 4 KiB. */
export const MAX_SIGN_IN_CHARACTERS = 4096;

/** The fields of a challenge, as a server chooses them. */
export type SignInInfo = {
  /** Host and port of the server, such as "shop.example". */
  domain: string;
  /** The address of the resource. */
  uri: string;
  version: string;
  /** 32 hex digits. */
  nonce: string;
  /** The time in ISO 8601, as in `expirationTime`. */
  issuedAt: string;
  expirationTime?: string | undefined;
  statement?: string | undefined;
  resources?: readonly string[] | undefined;
};

/** The content of the header, which is base64 of its JSON. */
export type SignInProof = SignInInfo & {
  /** The account. */
  address: string;
  /** The chain's CAIP-2 name. */
  chainId: string;
  type: string;
  /** 130 hex digits, over the SHA-256 of the text. */
  signature: string;
};

/** Returns the text of CAIP-122 that an account signs; `chainId` is the chain's CAIP-2 name. */
export function signInText(info: SignInInfo, account: string, chainId: string): string {
  const { domain, uri, version, nonce, issuedAt, expirationTime, statement, resources = [] } = info;
  return [
    `${domain} wants you to sign in with your Hive account:`,
    account,
    "",
    ...(statement === undefined ? [] : [statement, ""]),
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chainId.slice(chainId.indexOf(":") + 1)}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...(expirationTime === undefined ? [] : [`Expiration Time: ${expirationTime}`]),
    ...(resources.length === 0 ? [] : ["Resources:", ...resources.map((resource) => `- ${resource}`)]),
  ].join("\n");
}
