import type { PushedBody } from "./pushed-body.ts";
import { shareClass } from "./share-class.ts";

/** An answer with bytes that are complete or pushed, without the streams of a `Response`, which would copy them. */
export class BytesAnswer {
  static {
    shareClass(BytesAnswer, "BytesAnswer");
  }

  readonly status: number;
  /** The headers, by lower-case names. */
  readonly headers: Map<string, string>;
  readonly body: Uint8Array | PushedBody | null;

  constructor(
    body: Uint8Array | PushedBody | null,
    { status = 200, headers }: { status?: number; headers: Readonly<Record<string, string>> },
  ) {
    this.status = status;
    this.headers = new Map(Object.entries(headers));
    this.body = body;
  }
}
