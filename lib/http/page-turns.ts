import type { IncomingMessage, ServerResponse } from "node:http";
import { createTurns } from "../async/turns.ts";
import { networkOf } from "./client-address.ts";
import { resolveClientAddress } from "./node-request.ts";

/** Low, because rendering uses the thread that chat and payments need too. */
const AT_ONCE = 4;
const AT_ONCE_FOR_AN_ADDRESS = 1;
const MOST_WAITING = 200;
/** The longest time for which a slow reader, or a page that waits for a chain node, holds a place. */
const LONGEST_MS = 10_000;

/**
 * Limits how many pages render at once: few in total, and one per address. A client that disconnects loses
 * its turn. After a page, its place stays empty as long as the page took, so that other work gets done in
 * between.
 * @throws CodedError `overloaded` if too many wait; `AbortError` if the client disconnected while waiting
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
