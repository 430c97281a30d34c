/** What a request is judged by before its body is read, and most routes see no more of it; a `Request` is one. */
export type RequestHead = {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal;
};

export type RequestHeaders = Pick<Headers, "get">;
