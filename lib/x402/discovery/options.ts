import { HOST_WITH_PORT } from "../../host-with-port.ts";
import { createOutside } from "../../outside/fetch-outside.ts";
import { assertKnown } from "../check-options.ts";
import { type AskSeller, askOutside } from "./ask-seller.ts";

export type CatalogueOptions = {
  /**
   * Sellers outside the public internet that may be asked, by `host:port`, such as those of a private network. Others
   * at such addresses are not listed. Anyone who pays can have these asked, by GET.
   */
  privateHosts?: readonly string[];
  /** Answers for resources of this process; `null` for all others. */
  askOwn?: (...asked: Parameters<AskSeller>) => ReturnType<AskSeller> | null;
};

const known = { privateHosts: true, askOwn: true } as const satisfies Record<keyof CatalogueOptions, true>;

/** @throws TypeError naming the invalid option */
export function assertCatalogue(catalogue: boolean | CatalogueOptions | undefined): void {
  if (catalogue === undefined || typeof catalogue === "boolean") return;
  assertKnown(catalogue, known, "catalogue");
  const { privateHosts = [], askOwn } = catalogue;
  if (!Array.isArray(privateHosts) || !privateHosts.every(isHostWithPort))
    throw new TypeError('catalogue.privateHosts must be a list such as ["shop.lan:8080"]');
  if (askOwn !== undefined && typeof askOwn !== "function")
    throw new TypeError("catalogue.askOwn must be a function");
}

const isHostWithPort = (host: unknown) => typeof host === "string" && HOST_WITH_PORT.test(host);

/** Opens the requests to sellers; `null` without a catalogue. */
export function openAsk(
  catalogue: boolean | CatalogueOptions | undefined,
): { ask: AskSeller; close(): Promise<void> } | null {
  if (!catalogue) return null;
  const { privateHosts = [], askOwn } = catalogue === true ? {} : catalogue;
  const outside = createOutside({ privateHosts });
  const askOthers = askOutside(outside);
  return {
    ask: (...asked) => askOwn?.(...asked) ?? askOthers(...asked),
    close: () => outside.close(),
  };
}
