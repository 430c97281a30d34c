import type { LoadWatch } from "./machine-load.ts";
import type { WebsocketSizes } from "./websocket-sizes.ts";

/** The choices of one run, for all its parts. */
export type Plan = {
  rounds: number;
  /** The seconds of each measurement, a whole number. */
  seconds: number;
  /** The numbers of connections with which small answers are measured. */
  connections: readonly number[];
  websockets: WebsocketSizes;
  isWanted(part: string): boolean;
  watch: LoadWatch;
  /** Stops the server at the end of the run. */
  keep<T extends { stop(): void }>(subject: T): T;
};
