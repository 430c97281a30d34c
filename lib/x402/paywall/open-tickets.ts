import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { createTtlLruCache } from "../../async/cache.ts";
import { memoOfTicket } from "../ticket-memo.ts";
import { type ClaimStore, guardStore } from "./claim-store.ts";
import { sealTicket, unsealTicket } from "./ticket.ts";

/** Hex digits of a slot: there are 16 384 slots of tickets at most, and 4096 of places. */
const SLOTS = 16_384;
const PLACE_DIGITS = 3;
/** The newest tickets that a slot holds, so all of them take up to about 15 MB. */
const MOST_IN_SLOT = 4;
const DAY_MS = 24 * 3_600_000;
const MAX_TRIES = 3;
/** A page presents its ticket every second, and the store needs to hear of it once. */
const NOTED_MS = 3_600_000;
const MAX_NOTED = 10_000;

const Slot = z
  .array(z.object({ memo: z.string(), ticket: z.string(), untilMs: z.number() }))
  .max(MOST_IN_SLOT);
type Slot = z.infer<typeof Slot>;

/** The tickets that were presented before their transfers were in a block. */
export type OpenTickets = {
  /** Notes a ticket of a place, whose offer ends at `endMs`. @throws ClaimStoreError if it may not be noted */
  note(ticket: string, terms: { place: string; endMs: number }): Promise<void>;
  /** Returns whether tickets of a place may be noted; rarely true for another place. @throws ClaimStoreError */
  mayHave(place: string): Promise<boolean>;
  /** Returns the noted ticket of a memo, or null. @throws ClaimStoreError */
  find(memo: string): Promise<string | null>;
};

/**
 * Creates the open tickets in a store. Each is stored without its seal, which only the paywall's secret restores, until
 * a day after its offer's end. Their number is limited: the newest stay.
 */
export function createOpenTickets(options: {
  store: ClaimStore;
  network: string;
  secrets: () => readonly [Uint8Array, ...Uint8Array[]];
  nowMs: () => number;
}): OpenTickets {
  const { network, secrets, nowMs } = options;
  const store = guardStore(options.store);
  const noted = createTtlLruCache<true>({ maxEntries: MAX_NOTED, ttlMs: NOTED_MS });

  const slotKeyOf = (secret: Uint8Array, memo: string) => {
    // Keyed, so that nobody can choose tickets that displace the one of a public memo.
    const [high = 0, low = 0] = hmac(sha256, secret, utf8ToBytes(`x402 open ticket\n${network}\n${memo}`));
    return `x402:noted-tickets:${(high * 256 + low) % SLOTS}`;
  };
  const placeKeyOf = (place: string) =>
    `x402:noted-place:${bytesToHex(sha256(utf8ToBytes(`${network}\n${place}`))).slice(0, PLACE_DIGITS)}`;

  const markPlace = async (place: string, seconds: number) => {
    const key = placeKeyOf(place);
    const present = await store.get(key);
    const untilMs = Math.max(Number(present ?? 0), nowMs() + seconds * 1000);
    const lifeSeconds = Math.ceil((untilMs - nowMs()) / 1000);
    if (present === null && (await store.setIfAbsent(key, String(untilMs), lifeSeconds))) return;
    const current = present ?? (await store.get(key));
    if (current !== null && Number(current) < untilMs)
      await store.replace(key, current, String(untilMs), lifeSeconds);
  };

  return {
    async note(ticket, { place, endMs }) {
      const [secret] = secrets();
      const untilMs = endMs + DAY_MS;
      const seconds = Math.ceil((untilMs - nowMs()) / 1000);
      const unsealed = unsealTicket(ticket);
      if (seconds <= 0 || unsealed === null || noted.get(ticket)) return;
      const memo = memoOfTicket(ticket);
      const key = slotKeyOf(secret, memo);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const text = await store.get(key);
        const present = readSlot(text).filter((one) => one.untilMs > nowMs());
        if (!present.some((one) => one.memo === memo)) {
          const slot = [...present, { memo, ticket: unsealed, untilMs }].slice(-MOST_IN_SLOT);
          const lifeSeconds = Math.ceil((Math.max(...slot.map((one) => one.untilMs)) - nowMs()) / 1000);
          const given = [JSON.stringify(slot), lifeSeconds] as const;
          const isNoted =
            text === null ? await store.setIfAbsent(key, ...given) : await store.replace(key, text, ...given);
          if (!isNoted) continue;
        }
        await markPlace(place, seconds);
        noted.set(ticket, true);
        return;
      }
    },
    mayHave: async (place) => (await store.get(placeKeyOf(place))) !== null,
    async find(memo) {
      for (const secret of secrets()) {
        const slot = readSlot(await store.get(slotKeyOf(secret, memo)));
        const found = slot.find((one) => one.memo === memo && one.untilMs > nowMs());
        const ticket = found && sealTicket(secrets(), network, found.ticket, memo);
        if (ticket) return ticket;
      }
      return null;
    },
  };
}

/** Returns the tickets of a slot. Nothing else than tickets is worth an error: their browsers still have them. */
function readSlot(text: string | null): Slot {
  try {
    return Slot.parse(JSON.parse(text ?? "[]"));
  } catch {
    return [];
  }
}
