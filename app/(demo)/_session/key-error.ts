/** Thrown for a text that looks like a private key and is none: its checksum does not fit. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
