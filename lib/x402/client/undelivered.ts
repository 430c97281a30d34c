import type { Offer } from "./choose-offer.ts";
import type { LogicalRequest } from "./logical-request.ts";

const MAX_ENTRIES = 100;
const MAX_BODY_BYTES = 65_536;

type Entry = {
  /** Method and address. */
  place: string;
  header: string;
  amountMillis: number;
  payTo: string;
  network: string;
  body: Uint8Array | undefined;
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
  const placeOf = (request: LogicalRequest, url: string) => `${request.method} ${url}`;
  return {
    keep(request, url, { amountMillis, payTo, requirements }, header) {
      if ((request.body?.length ?? 0) > MAX_BODY_BYTES) return;
      if (entries.length >= MAX_ENTRIES) entries.shift();
      const { network } = requirements;
      entries.push({
        place: placeOf(request, url),
        header,
        amountMillis,
        payTo,
        network,
        body: request.body,
      });
    },
    take(request, url, offers) {
      for (const [index, entry] of entries.entries()) {
        if (entry.place !== placeOf(request, url) || !isSameBody(entry.body, request.body)) continue;
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

function isSameBody(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (!one || !other) return one === other;
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
