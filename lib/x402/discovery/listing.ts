import { z } from "zod";
import { parseMils } from "../../mils.ts";
import { readAtomic } from "../amount.ts";
import type * as answers from "./answers.ts";
import { Declaration } from "./declaration.ts";
import { cleanServiceMetadata } from "./service-metadata.ts";

const Short = z.string().max(256);

/** A way to pay, as a catalogue lists it. */
const ListedOffer = z.object({
  scheme: Short,
  network: Short,
  amount: Short,
  asset: Short,
  payTo: Short,
  maxTimeoutSeconds: z.number(),
  extra: z.object({ paymentFlow: Short.optional() }).optional(),
});

export const Listing = z.object({
  resource: z.string().max(2048),
  type: z.literal("http"),
  x402Version: z.literal(2),
  accepts: z.array(ListedOffer),
  lastUpdated: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  serviceName: z.string().optional(),
  tags: z.array(z.string()).optional(),
  iconUrl: z.string().optional(),
  extensions: z.object({ bazaar: Declaration }),
}) satisfies z.ZodType<answers.Listing>;
export type Listing = answers.Listing;

/** The seller's description of a resource in version 2. Faulty parts are left out. */
const Described = z.object({
  description: z.string().max(500).optional().catch(undefined),
  mimeType: z.string().max(100).optional().catch(undefined),
  serviceName: z.unknown().optional(),
  tags: z.unknown().optional(),
  iconUrl: z.unknown().optional(),
});

/** The seller's 402 answer, in version 2. */
const Offered = z.object({
  x402Version: z.literal(2),
  resource: Described.optional().catch(undefined),
  accepts: z.array(z.unknown()).max(32),
});

/** Creates the listing of a resource from what its server answered, if that offers it to be paid to `payTo`. */
export function listingOf(
  offered: unknown,
  {
    resource,
    declaration,
    payTo,
    networks,
    nowMs,
  }: {
    resource: string;
    declaration: answers.Declaration;
    payTo: string;
    networks: readonly string[];
    nowMs: number;
  },
): Listing | null {
  const parsed = Offered.safeParse(offered);
  if (!parsed.success) return null;
  const accepts = parsed.data.accepts.flatMap((offer) => {
    const read = ListedOffer.safeParse(offer);
    return read.success && isFor(read.data, payTo, networks) && !isSentTransfer(offer) ? [read.data] : [];
  });
  if (accepts.length === 0) return null;
  const { description, mimeType, ...service } = parsed.data.resource ?? {};
  return {
    resource,
    type: "http",
    x402Version: 2,
    accepts,
    lastUpdated: new Date(nowMs).toISOString(),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...cleanServiceMetadata(service),
    extensions: { bazaar: declaration },
  };
}

const isFor = (
  { scheme, network, asset, payTo, amount }: z.infer<typeof ListedOffer>,
  payee: string,
  networks: readonly string[],
) =>
  scheme === "exact" &&
  asset === "HBD" &&
  payTo === payee &&
  networks.includes(network) &&
  (readAtomic(amount) ?? parseMils(amount)) !== null;

/** Returns whether an offer is paid by a sent transfer: its claim is for the one who asked, not for a catalogue. */
const isSentTransfer = (offer: unknown) => SentTransferOffer.safeParse(offer).success;

const SentTransferOffer = z.object({ extra: z.object({ assetTransferMethod: z.literal("memo") }) });
