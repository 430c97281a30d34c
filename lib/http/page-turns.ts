import type { IncomingMessage, ServerResponse } from "node:http";
import { createTurns } from "../async/turns.ts";
import { networkOf } from "./client-address.ts";
import { resolveClientAddress } from "./node-request.ts";

/** Rendering works on the thread that chat and payments need too. */
const AT_ONCE = 4;
const AT_ONCE_FOR_AN_ADDRESS = 1;
const MOST_WAITING = 200;
/** A reader who takes the page slowly, or a page that waits for a chain node, keeps a place no longer than this. */
const LONGEST_MS = 10_000;

/**
 * Lets few pages be rendered at once, one at a time for each address. A client that goes away loses its turn. After a page
 * its place rests as long as the page took, so that other work comes between.
 * @throws CodedError `overloaded` where too many wait; `AbortError` where the client left while it waited
 */
export function createPageTurns(
  render: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): (incoming: IncomingMessage, outgoing: ServerResponse, trustProxy: number) => Promise<void> {
  const turns = createTurns({
    places: AT_ONCE,
    mostOfPerson: AT_ONCE_FOR_AN_ADDRESS,
    mostWaiting: MOST_WAITING,
  });
  return async (incoming, outgoing, trustProxy) => {
    const gone = new AbortController();
    const leave = () => gone.abort();
    outgoing.once("close", leave);
    const person = networkOf(resolveClientAddress(incoming, trustProxy));
    const giveBack = await turns.take({ person }, gone.signal).finally(() => outgoing.off("close", leave));
    const startedAtMs = performance.now();
    const rest = () => {
      clearTimeout(cut);
      setTimeout(giveBack, Math.min(performance.now() - startedAtMs, LONGEST_MS)).unref();
    };
    const cut = setTimeout(rest, LONGEST_MS).unref();
    outgoing.once("prefinish", rest);
    outgoing.once("close", rest);
    render(incoming, outgoing);
  };
}
