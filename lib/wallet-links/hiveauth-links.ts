import { encodeBase64 } from "./base64.ts";

/** The fields that a wallet needs to answer a request at a relay of HiveAuth. */
export type HiveAuthRequest = {
  account: string;
  /** The request's id, which the relay's `auth_wait` names. */
  uuid: string;
  /** The key that encrypts what the relay passes on. */
  key: string;
  /** The relay's websocket address. */
  host: string;
};

/** Creates the link, or the text of a QR code, with which a wallet of HiveAuth answers a request. */
export const hiveAuthLink = ({ account, uuid, key, host }: HiveAuthRequest): string =>
  `has://auth_req/${encodeBase64(JSON.stringify({ account, uuid, key, host }))}`;
