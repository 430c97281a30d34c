import { jsonText } from "./json-text.ts";
import { shareClass } from "./share-class.ts";

/** An answer with JSON, without the streams of a `Response`, which cost more than the text itself. */
export class JsonAnswer {
  static {
    shareClass(JsonAnswer, "JsonAnswer");
  }

  readonly status: number;
  /** The headers, by lower-case names. */
  readonly headers: Map<string, string>;
  readonly body: string;

  /** @throws TypeError for a value that JSON cannot represent */
  constructor(value: unknown, status = 200) {
    const body = jsonText(value);
    if (body === undefined) throw new TypeError("an answer must be a value that JSON can represent");
    this.status = status;
    this.headers = new Map([["content-type", "application/json"]]);
    this.body = body;
  }
}
