/**
 * The posting signature of a text (hex) by a key in WIF; the signing code is loaded on first use and the key stays in the page.
 * @throws KeyError when the text is no key.
 */
export async function signMessageWithKey(wif: string, message: string): Promise<string> {
  const { default: dhive } = await import("@hiveio/dhive");
  let key: InstanceType<typeof dhive.PrivateKey>;
  try {
    key = dhive.PrivateKey.fromString(wif);
  } catch {
    throw new KeyError("This text is no private key.");
  }
  return key.sign(dhive.cryptoUtils.sha256(message)).toString();
}

/** Thrown for a text that looks like a private key and is none: its checksum does not fit. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
