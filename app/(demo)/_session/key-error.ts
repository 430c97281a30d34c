/** Thrown for a text that is not a private key. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
