import { afterEach } from "vitest";
import { serveOffers } from "./serve-offers.ts";
import { serveWeb } from "./serve-web.ts";

/** Starts sellers' servers for the tests of a file. Each ends with the test that started it. */
export function createSellers() {
  const open: Array<{ close(): Promise<void> }> = [];
  afterEach(async () => void (await Promise.all(open.splice(0).map((server) => server.close()))));
  const closing = async <S extends { close(): Promise<void> }>(starting: Promise<S>): Promise<S> => {
    const server = await starting;
    open.push(server);
    return server;
  };
  return {
    closing,
    serveOffers: (...given: Parameters<typeof serveOffers>) => closing(serveOffers(...given)),
    serveWeb: (...given: Parameters<typeof serveWeb>) => closing(serveWeb(...given)),
  };
}
