const typed = /^(\d{1,9})(?:\.(\d{1,3}))?$/;
const chainText = /^(0|[1-9]\d{0,11})\.(\d{3}) HBD$/;

/** Parses typed text ("0.05") into 1/1000 HBD, or null if it is not an amount. */
export function readTyped(text: string): number | null {
  const [, whole, fraction = ""] = typed.exec(text.trim()) ?? [];
  return whole === undefined ? null : Number(whole) * 1000 + Number(fraction.padEnd(3, "0"));
}

/** Parses "0.050 HBD" into 1/1000 HBD, or null for any other text. */
export function readHbd(text: string): number | null {
  const [, whole, fraction] = chainText.exec(text) ?? [];
  return whole === undefined ? null : Number(whole) * 1000 + Number(fraction);
}

/** Formats 1/1000 HBD with three decimals, without the coin's name. */
export function writeAmount(millis: number): string {
  return (millis / 1000).toFixed(3);
}
