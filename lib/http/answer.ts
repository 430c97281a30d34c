/** The headers of an answer: those of a `Response`, or a map whose names are in lower case. */
export type AnswerHeaders = {
  get(name: string): string | null | undefined;
  has(name: string): boolean;
  set(name: string, value: string): unknown;
  [Symbol.iterator](): Iterator<[string, string]>;
};

/** What goes out: a `Response`, or a text that was never put into one, whose streams cost more than the text itself. */
export type Answer = {
  status: number;
  headers: AnswerHeaders;
  body: ReadableStream<Uint8Array> | string | null;
};

/** Answers 200 with a value as JSON. */
export function jsonAnswer(value: unknown): Answer {
  const body = JSON.stringify(value);
  if (body === undefined) throw new TypeError("what a route answers must have a JSON form");
  return { status: 200, headers: new Map([["content-type", "application/json"]]), body };
}

/** The web form of an answer. */
export function toResponse(answer: Answer): Response {
  if (answer instanceof Response) return answer;
  return new Response(answer.body, { status: answer.status, headers: [...answer.headers] });
}

/** Puts a value before those that a header has. */
export function prependHeader(headers: AnswerHeaders, name: string, value: string): void {
  const present = headers.get(name);
  headers.set(name, present ? `${value}, ${present}` : value);
}

/** Adds a value to those that a header has. */
export function appendHeader(headers: AnswerHeaders, name: string, value: string): void {
  const present = headers.get(name);
  headers.set(name, present ? `${present}, ${value}` : value);
}
