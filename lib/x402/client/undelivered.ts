import type { Offer } from "./choose-offer.ts";
import type { LogicalRequest } from "./logical-request.ts";

const MAX_ENTRIES = 100;
const MAX_BODY_BYTES = 65_536;

type Entry = {
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
  const entries = new Map<string, Entry>();
  const keyOf = (request: LogicalRequest, url: string) => `${request.method} ${url}`;
  return {
    keep(request, url, { amountMillis, payTo, requirements }, header) {
      if ((request.body?.length ?? 0) > MAX_BODY_BYTES) return;
      const oldest = entries.size >= MAX_ENTRIES ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      const { network } = requirements;
      entries.set(keyOf(request, url), { header, amountMillis, payTo, network, body: request.body });
    },
    take(request, url, offers) {
      const entry = entries.get(keyOf(request, url));
      if (!entry || !isSameBody(entry.body, request.body)) return undefined;
      const offer = offers.find(
        ({ amountMillis, payTo, requirements }) =>
          amountMillis === entry.amountMillis &&
          payTo === entry.payTo &&
          requirements.network === entry.network,
      );
      if (!offer) return undefined;
      entries.delete(keyOf(request, url));
      return { header: entry.header, offer };
    },
  };
}

function isSameBody(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (!one || !other) return one === other;
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
