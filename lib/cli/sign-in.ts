import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { decodeBase58 } from "../hive/public-key.ts";
import { read } from "./pay-for-article.ts";

const FIRST_BYTE = 31;

const Challenge = z.object({ message: z.string() });
const Tokens = z.object({ accessToken: z.string() });
const Chat = z.object({ token: z.string(), userId: z.string() });

/** The signature (hex) of a text by a key in WIF. @throws TypeError, without the key, when it is no WIF */
function signText(text: string, wif: string): string {
  const key = decodeBase58(wif);
  if (key?.length !== 37) throw new TypeError("the posting key is not a private key in WIF");
  const signature = secp256k1.sign(sha256(utf8ToBytes(text)), key.subarray(1, 33), { lowS: true });
  return (FIRST_BYTE + signature.recovery).toString(16) + bytesToHex(signature.toCompactRawBytes());
}

/** Proves an account by its posting key and opens its chat. @throws Error, fit to be shown */
export async function signIn(
  baseUrl: string,
  username: string,
  postingKey: string,
): Promise<z.infer<typeof Chat>> {
  const post = <T>(path: string, schema: z.ZodType<T>, body: object) =>
    read(`${baseUrl}${path}`, 200, schema, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { message } = await post("/api/auth/challenge", Challenge, { username });
  const signature = signText(message, postingKey);
  const { accessToken } = await post("/api/auth/login", Tokens, { username, message, signature });
  return post("/api/chat/bootstrap", Chat, { username, accessToken });
}
