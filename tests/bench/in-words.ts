import type { Spread } from "./spread.ts";

/** Writes a spread as its median, with the minimum and maximum. */
export const inWords = ({ median, min, max }: Spread): string =>
  min === max ? shown(median) : `${shown(median)} (${shown(min)} to ${shown(max)})`;

const shown = (value: number) => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 2 : 0 });
