import { hkdfSync } from "node:crypto";
import { inspect } from "node:util";

/** A text that never prints itself: logs, JSON and `inspect` show `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
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
