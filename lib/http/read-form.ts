import { readBytes } from "../async/read-body.ts";
import { CodedError } from "../errors.ts";
import type { AskedRequest } from "./node-request.ts";

const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Returns whether a request is a page's form instead of JSON. */
export const isForm = ({ headers }: AskedRequest): boolean => FORM.test(headers.get("content-type") ?? "");

/** Reads the fields of a page's form. @throws CodedError `payload_too_large` */
export async function readForm({ request }: AskedRequest, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request.body, maxBytes);
  if (!bytes) throw new CodedError("payload_too_large");
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
}
