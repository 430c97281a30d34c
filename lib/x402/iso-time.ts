const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads an ISO 8601 time with its zone into milliseconds since 1970; `null` for what can't be read, or names no zone. */
export function readIsoTime(text: string): number | null {
  const ms = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
