/** One thing the doctor looked at; `advice` says what to do about what is not fine. */
export type Finding = { subject: string; isFine: boolean; detail: string; advice?: string };

/** A finding without a fault. */
export function fine(subject: string, detail: string): Finding {
  return { subject, isFine: true, detail };
}

/** A finding with one. */
export function fault(subject: string, detail: string, advice: string): Finding {
  return { subject, isFine: false, detail, advice };
}
