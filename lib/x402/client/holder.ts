/**
 * Makes the secret that a payment carries beside its transfer: 256 random bits as base64url. The chain shows the transfer to
 * everybody; the seller gives what was paid for to whoever shows this too.
 */
export function makeHolder(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace("=", "");
}
