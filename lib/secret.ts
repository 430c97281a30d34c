import { createHash, hkdfSync } from "node:crypto";
import { inspect } from "node:util";

/** A text that never prints itself: logs, JSON and `inspect` show `[redacted]`. */
export class Secret {
  readonly #value: string;
  /** The secret that this one replaces: still accepted, but never used for anything new. */
  readonly previous: Secret | null;

  constructor(value: string, previous: Secret | null = null) {
    this.#value = value;
    this.previous = previous;
  }

  /** Returns the text itself, for the code that sends or compares it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [inspect.custom](): string {
    return "[redacted]";
  }
}

let lastNamed: { secret: string | null; name: string } = { secret: null, name: "" };

/**
 * Returns a name for a secret, for places where the secret itself must not be stored. The last name is
 * cached, because a request needs that of its token several times.
 */
export function nameOfSecret(secret: string): string {
  if (secret !== lastNamed.secret)
    lastNamed = { secret, name: createHash("sha256").update(secret).digest("base64url") };
  return lastNamed.name;
}

/** Derives 32 bytes for one purpose. The secrets of two purposes reveal nothing about each other. */
export function deriveSecret(secret: Secret, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret.reveal(), "", `hivegate ${purpose}`, 32));
}

/** Derives the accepted secrets of one purpose. The first one is used for anything new. */
export function deriveSecrets(secret: Secret, purpose: string): readonly [Uint8Array, ...Uint8Array[]] {
  const own = deriveSecret(secret, purpose);
  return secret.previous ? [own, deriveSecret(secret.previous, purpose)] : [own];
}
