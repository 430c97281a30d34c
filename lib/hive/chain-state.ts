import { z } from "zod";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";

/** The chain's time format ("2026-11-21T03:13:27", UTC without Z), parsed to milliseconds since 1970. */
export const ChainTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  .transform((text) => Date.parse(`${text}Z`))
  .refine(Number.isFinite);

const BlockNumber = z.number().int().min(0).max(0xffffffff);

export const ChainState = z
  .object({
    head_block_number: BlockNumber,
    head_block_id: z.string().regex(/^[0-9a-f]{40}$/),
    time: ChainTime,
    last_irreversible_block_num: BlockNumber,
  })
  .transform((properties) => ({
    headBlock: properties.head_block_number,
    headBlockId: properties.head_block_id,
    headTimeMs: properties.time,
    irreversibleBlock: properties.last_irreversible_block_num,
  }));
export type ChainState = z.infer<typeof ChainState>;

/** Reads the chain's state: head block, its time, and the last irreversible block. */
export function readChainState(chain: ChainReader, options?: ReadOptions): Promise<ChainState> {
  return chain.read("condenser_api.get_dynamic_global_properties", [], ChainState, options);
}

const WINDOW_MS = 60_000;
const MAX_READINGS = 100;
/** The tolerated difference between a machine's clock and the chain's. */
export const TOLERATED_SECONDS = 5;
const BLOCK_MS = 3000;
/**
 * If no new head was seen for longer than this, or the lags of the heads differ by more, the chain itself may be
 * late, so this machine's clock is not called fast.
 */
const STANDING_MS = 10_000;
const MAX_LAG_SECONDS = 60;

type Reading = { atMs: number; headTimeMs: number };

/** A comparison of this machine's clock with the chain's head. */
export type ClockVerdict = {
  /** Age of the head by this machine's clock, in ms; negative if the head seems to be in the future. */
  lagMs: number;
  /**
   * True if a new head was seen within the last minute, and the newest is no more than a minute behind, or all are
   * steadily behind, which is the fault of this machine's clock.
   */
  isChainUp: boolean;
  /** The lead of this machine's clock over the chain's in ms (negative: behind); 0 if within 5 s. */
  aheadMs: number;
};

export type ClockCheck = {
  /** Records a reading of the chain's head. */
  read(headTimeMs: number): ClockVerdict;
};

/**
 * Compares this machine's clock with the chain's. A head is never early but can be late for many reasons, so
 * the youngest head of the last minute shows the difference between the clocks. `now` is a monotonic clock in
 * ms.
 */
export function createClockCheck(
  now: () => number = () => performance.now(),
  wallNow: () => number = () => Date.now(),
): ClockCheck {
  let readings: Reading[] = [];
  /** The first reading of the newest head; `isSecond` is true if another head had been seen earlier. */
  let advance: Reading & { isSecond: boolean } = { atMs: 0, headTimeMs: 0, isSecond: false };

  return {
    read(headTimeMs) {
      const atMs = now();
      if (headTimeMs > advance.headTimeMs) advance = { atMs, headTimeMs, isSecond: advance.headTimeMs > 0 };
      readings = [...readings.filter((reading) => atMs - reading.atMs <= WINDOW_MS), { atMs, headTimeMs }];
      if (readings.length > MAX_READINGS) readings.shift();

      const toWallMs = wallNow() - atMs;
      const lags = readings.map((reading) => toWallMs + reading.atMs - reading.headTimeMs);
      const lagMs = lags.at(-1) ?? 0;
      const leastMs = Math.min(...lags);
      const standsMs = atMs - advance.atMs;
      const isSteady = advance.isSecond && Math.max(...lags) - leastMs <= STANDING_MS;
      const isChainUp =
        standsMs <= MAX_LAG_SECONDS * 1000 && (Math.round(lagMs / 1000) <= MAX_LAG_SECONDS || isSteady);

      // A single head may be late, but within the time of two blocks one of the heads is young.
      const spanMs = atMs - (readings[0]?.atMs ?? atMs);
      const slackMs = spanMs >= 2 * BLOCK_MS ? 0 : 2 * BLOCK_MS;
      const isAhead =
        Math.round((leastMs - slackMs) / 1000) > TOLERATED_SECONDS && isSteady && standsMs <= STANDING_MS;
      const isBehind = Math.round(leastMs / 1000) < -TOLERATED_SECONDS;
      return { lagMs, isChainUp, aheadMs: isAhead || isBehind ? leastMs : 0 };
    },
  };
}
