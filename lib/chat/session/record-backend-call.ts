import type { BackendCall } from "../../mattermost/backend.ts";
import { metrics } from "../../metrics.ts";

/** Counts a call to the backend. */
export function recordBackendCall({ method, route, outcome, seconds }: BackendCall): void {
  metrics().backendSeconds.labels(method, route, outcome).observe(seconds);
}
