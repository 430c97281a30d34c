import type { IncomingMessage } from "node:http";

/** Returns whether a request names a content coding in `Accept-Encoding` without refusing it (`;q=0`). */
export function acceptsCoding({ headers }: Pick<IncomingMessage, "headers">, coding: "br" | "gzip"): boolean {
  return String(headers["accept-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .some((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim());
      return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
}
