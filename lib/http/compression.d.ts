/** The package comes without types. */
declare module "compression" {
  import type { IncomingMessage, ServerResponse } from "node:http";
  export default function compression(options?: {
    /** Bytes. */
    threshold?: number;
    filter?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
  }): (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => void;
}
