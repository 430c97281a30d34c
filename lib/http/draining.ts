import { processWide } from "../async/process-wide.ts";

const state = () => processWide("draining", () => ({ isDraining: false }));

/** From now on the server only finishes what it has: `/api/health/ready` answers 503. */
export function startDraining(): void {
  state().isDraining = true;
}

/** Whether a shutdown has begun. */
export function isDraining(): boolean {
  return state().isDraining;
}
