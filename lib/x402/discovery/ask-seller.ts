import { z } from "zod";
import type { Outside } from "../../outside/fetch-outside.ts";
import { decodeBase64Json, HEADER_V2_REQUIRED } from "../header.ts";
import type { Declaration } from "./answers.ts";
import { readValidDeclaration } from "./declaration.ts";

const MOST_BYTES = 65_536;
const LONGEST_HEADER = 32_768;
const NOT_FOUND = 404;
/** A seller who answers with this says that there is nothing to buy any more. */
const GONE = 410;

/** A server's answer to a request without a payment. */
type SellerAnswer = { status: number; header(name: string): string | null; text: string };

/**
 * Requests a resource by GET without a payment. No other method: anyone can name an address, and a server may act on
 * the others. Rejects if no usable answer comes.
 */
export type AskSeller = (address: string, signal: AbortSignal) => Promise<SellerAnswer>;

/** Creates requests to sellers on the public internet. */
export const askOutside =
  (outside: Outside): AskSeller =>
  async (address, signal) => {
    const { status, header, bytes } = await outside.fetch(address, {
      accept: "application/json",
      limitBytes: MOST_BYTES,
      headers: { "user-agent": "hivegate (catalogue)" },
      followsRedirects: false,
      expects: [402, NOT_FOUND, GONE],
      signal,
    });
    return { status, header: (name) => header(name) ?? null, text: bytes.toString("utf8") };
  };

/**
 * A server's offer in version 2 with its declaration; `none` if it says that it offers nothing, `missing` if it does not
 * find the resource, which may pass.
 */
type SellerOffer = { offered: unknown; declaration: Declaration } | "none" | "missing";

const Extended = z.object({ extensions: z.unknown().optional() });

/** Reads a seller's answer. The declaration is in the body if it is too long for the header. */
export async function readSellerAnswer({ status, header, text }: SellerAnswer): Promise<SellerOffer | null> {
  if (status === GONE) return "none";
  if (status === NOT_FOUND) return "missing";
  if (status !== 402) return null;
  const body = attempt(() => JSON.parse(text.slice(0, MOST_BYTES)) as unknown);
  const inHeader = header(HEADER_V2_REQUIRED);
  const offered = inHeader === null ? body : attempt(() => decodeBase64Json(inHeader, LONGEST_HEADER));
  const declaration = (await declarationIn(offered)) ?? (await declarationIn(body));
  return declaration === null ? "none" : { offered: withTexts(offered, body), declaration };
}

const Texts = z.object({ description: z.string().optional(), mimeType: z.string().optional() });
const WithTexts = z.object({
  accepts: z.tuple([Texts], z.unknown()),
  resource: z.looseObject({}).optional().catch(undefined),
});
const WithResource = z.looseObject({ resource: z.looseObject({}) });

/** Adds the texts of a body in version 1 to an offer, whose header has no room for long ones. */
function withTexts(offered: unknown, body: unknown): unknown {
  const inHeader = WithResource.safeParse(offered);
  const inBody = WithTexts.safeParse(body);
  if (!inHeader.success || !inBody.success) return offered;
  const [texts] = inBody.data.accepts;
  return { ...inHeader.data, resource: { ...texts, ...inBody.data.resource, ...inHeader.data.resource } };
}

async function declarationIn(message: unknown): Promise<Declaration | null> {
  const parsed = Extended.safeParse(message);
  return parsed.success ? readValidDeclaration(parsed.data.extensions) : null;
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    // Not JSON, or not base64: nothing was said.
    return null;
  }
}
