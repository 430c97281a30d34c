import { createHmac, timingSafeEqual } from "node:crypto";
import type { BytesAnswer } from "../async/bytes-answer.ts";
import { outsideOf, showOutsidePicture } from "../chat/media/outside-pictures.ts";
import { CodedError } from "../errors.ts";
import { deriveSecrets } from "../secret.ts";
import type { Services } from "../services/services.ts";

/** A picture in Markdown, whose address contains no parentheses. */
const PICTURE = /!\[[^\]\n]{0,500}\]\((https?:\/\/[^\s()<>]{1,2000})\)/g;

const macOf = (secret: Uint8Array, address: string) =>
  createHmac("sha256", secret).update(address).digest("base64url");

const secretsOf = ({ config }: Services) => deriveSecrets(config.sessionSecret, "article pictures");

/**
 * Returns the paths at which this server shows the outside pictures of its own texts, by address. Each path
 * is signed, so readers need no sign-in and no one can make the server fetch anything else.
 */
export function picturesIn(services: Services, text: string): Record<string, string> {
  if (!outsideOf(services.chat)) return {};
  const [secret] = secretsOf(services);
  const addresses = new Set([...text.matchAll(PICTURE)].map(([, address = ""]) => address));
  return Object.fromEntries(
    [...addresses].map((address) => {
      const query = new URLSearchParams({ url: address, key: macOf(secret, address) });
      return [address, `/api/demo/pictures?${query}`];
    }),
  );
}

/**
 * Reads a picture by a path from `picturesIn`. `reader` is the address of the client for which it is fetched.
 * @throws CodedError `not_found`, including for a path that was not issued; `overloaded`
 */
export async function readArticlePicture(
  services: Services,
  { url, key }: { url: string; key: string },
  ifNoneMatch: string | null,
  reader: string,
  signal: AbortSignal,
): Promise<BytesAnswer> {
  const given = Buffer.from(key);
  const isOurs = secretsOf(services).some((secret) => {
    const known = Buffer.from(macOf(secret, url));
    return known.length === given.length && timingSafeEqual(known, given);
  });
  if (!isOurs) throw new CodedError("not_found");
  return showOutsidePicture(services.chat, url, ifNoneMatch, reader, signal);
}
