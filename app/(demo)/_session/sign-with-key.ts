/** The posting signature of a text (hex) by a key in WIF; the signing code is loaded on first use and the key stays in the page. */
export async function signMessageWithKey(wif: string, message: string): Promise<string> {
  const { default: dhive } = await import("@hiveio/dhive");
  return dhive.PrivateKey.fromString(wif).sign(dhive.cryptoUtils.sha256(message)).toString();
}
