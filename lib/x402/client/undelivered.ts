import { sha256 } from "@noble/hashes/sha2.js";
import type { Offer } from "./choose-offer.ts";
import type { LogicalRequest } from "./logical-request.ts";

const MAX_ENTRIES = 100;

type Entry = {
  /** What was asked for: method, address and the digest of the body. */
  subject: string;
  header: string;
  amountMillis: number;
  payTo: string;
  network: string;
};

/** Payments that were sent and brought nothing: the same request, made again, sends them again instead of paying twice. */
export type Undelivered = {
  keep(request: LogicalRequest, url: string, offer: Offer, header: string): void;
  /** Hands the payment out, once, if the offer is still the one that it paid. */
  take(
    request: LogicalRequest,
    url: string,
    offers: readonly Offer[],
  ): { header: string; offer: Offer } | undefined;
};

/** Makes an empty memory; the oldest of too many is forgotten. */
export function createUndelivered(): Undelivered {
  const entries: Entry[] = [];
  return {
    keep(request, url, { amountMillis, payTo, requirements }, header) {
      if (entries.length >= MAX_ENTRIES) entries.shift();
      const { network } = requirements;
      entries.push({ subject: subjectOf(request, url), header, amountMillis, payTo, network });
    },
    take(request, url, offers) {
      if (entries.length === 0) return undefined;
      const subject = subjectOf(request, url);
      for (const [index, entry] of entries.entries()) {
        if (entry.subject !== subject) continue;
        const offer = offers.find(
          ({ amountMillis, payTo, requirements }) =>
            amountMillis === entry.amountMillis &&
            payTo === entry.payTo &&
            requirements.network === entry.network,
        );
        if (!offer) continue;
        entries.splice(index, 1);
        return { header: entry.header, offer };
      }
      return undefined;
    },
  };
}

/** A body of any size is kept as its digest; none and an empty one are two. */
function subjectOf({ method, body }: LogicalRequest, url: string): string {
  return `${method} ${url} ${body ? sha256(body).join() : "-"}`;
}
