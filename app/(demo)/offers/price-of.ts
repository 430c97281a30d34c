import { formatMils, toMils } from "../../../lib/mils.ts";

/** Returns the price of an offer, whose amount is whole 1/1000 HBD ("50") or a text such as "0.050 HBD". */
export const priceOf = (amount: string): string =>
  /^\d{1,15}$/.test(amount) ? formatMils(toMils(Number(amount))) : amount;
