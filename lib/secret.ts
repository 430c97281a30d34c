import { hkdfSync } from "node:crypto";
import { inspect } from "node:util";

/** A text that never prints itself: logs, JSON and `inspect` show `[redacted]`. */
export class Secret {
  readonly #value: string;
  /** What it replaces, which is accepted still but makes nothing new. */
  readonly previous: Secret | null;

  constructor(value: string, previous: Secret | null = null) {
    this.#value = value;
    this.previous = previous;
  }

  /** The text itself, for the one place that sends or compares it. */
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

/** 32 bytes for one purpose: the secrets of two purposes tell nothing about each other. */
export function deriveSecret(secret: Secret, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret.reveal(), "", `hivegate ${purpose}`, 32));
}

/** The secrets of one purpose that are accepted: the first makes what is new. */
export function deriveSecrets(secret: Secret, purpose: string): readonly [Uint8Array, ...Uint8Array[]] {
  const own = deriveSecret(secret, purpose);
  return secret.previous ? [own, deriveSecret(secret.previous, purpose)] : [own];
}
