import { type AskOptions, askHiveAuth } from "./ask-hiveauth.ts";
import { isObject } from "./hiveauth-relay.ts";

export type HiveAuthOptions = AskOptions & {
  account: string;
  /** The text that the posting key signs. */
  message: string;
};

/**
 * Has a wallet of HiveAuth sign a text at a relay, and returns the signature in hex. The relay passes encrypted texts
 * on and never gets the key, which is only in the link. A lost connection is opened again and resumed.
 * @throws HiveAuthError, or the signal's reason
 */
export async function signByHiveAuth({ message, ...options }: HiveAuthOptions): Promise<string> {
  const challenge = { key_type: "posting", challenge: message } as const;
  return (await askHiveAuth({ ...options, challenge }, readSignature)).answer;
}

function readSignature(answer: unknown): string | null {
  const signed = isObject(answer) && isObject(answer.challenge) ? answer.challenge.challenge : null;
  return typeof signed === "string" && /^[0-9a-f]{130}$/.test(signed) ? signed : null;
}
