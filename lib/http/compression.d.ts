/** The package ships without types. */
declare module "compression" {
  import type { IncomingMessage, ServerResponse } from "node:http";
  import type { BrotliOptions } from "node:zlib";
  export default function compression(options?: {
    /** The smallest body to compress, in bytes. */
    threshold?: number;
    brotli?: BrotliOptions;
    filter?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
  }): (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => void;
}
