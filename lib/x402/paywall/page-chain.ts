import { z } from "zod";
import { isChainId, MAINNET_CHAIN_ID, MAINNET_NODES, networkNames } from "../../chains.ts";
import { isWebAddress } from "../check-options.ts";
import type { FacilitatorCalls } from "./facilitator-client.ts";

const ASK_AGAIN_MS = 60_000;
const MAX_NODES = 8;
const MAX_KINDS = 64;

/** The chain on which the payment page pays: its id, or `null` if unknown, and its nodes, if any. */
export type PageChain = { chainId: string | null; nodes: readonly string[] };

/** The page's chain, which a paywall can complete from its facilitator. */
export type PageChainSource = {
  known(): PageChain;
  /**
   * If nodes or the chain's id are missing, asks the facilitator for them, at most once a minute. Never
   * rejects.
   */
  learn(): Promise<void>;
};

/** Other facilitators list more or fewer fields per kind. */
const Supported = z.object({
  kinds: z
    .array(
      z.object({
        network: z.string(),
        extra: z
          .object({
            chainId: z.string().refine(isChainId).optional().catch(undefined),
            nodes: z
              .array(z.string().max(2048).refine(isWebAddress))
              .max(MAX_NODES)
              .optional()
              .catch(undefined),
          })
          .optional()
          .catch(undefined),
      }),
    )
    .max(MAX_KINDS),
});

/** Creates the page's chain from the options; `chainId` is `null` if only an ambiguous name was given. */
export function createPageChain(
  {
    chainId,
    network,
    nodes,
  }: { chainId: string | null; network: string; nodes: readonly string[] | undefined },
  facilitator: Pick<FacilitatorCalls, "supported">,
  now: () => number = () => performance.now(),
): PageChainSource {
  let known: PageChain = {
    chainId,
    nodes: nodes ?? (chainId === MAINNET_CHAIN_ID ? MAINNET_NODES : []),
  };
  let asking: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const ask = async () => {
    askedAtMs = now();
    const { data } = Supported.safeParse(await facilitator.supported());
    const told = data?.kinds.find((kind) => kind.network === network && kind.extra)?.extra;
    if (!told) return;
    // The id must belong to the name, because the seller chose the name.
    const isNamed = told.chainId !== undefined && networkNames(told.chainId).includes(network);
    known = {
      chainId: chainId ?? (isNamed ? (told.chainId ?? null) : null),
      nodes: nodes ?? told.nodes ?? [],
    };
  };
  return {
    known: () => known,
    async learn() {
      const lacksNodes = known.nodes.length === 0 && nodes === undefined;
      const lacksId = known.chainId === null && known.nodes.length > 0;
      if (!lacksNodes && !lacksId) return;
      if (!asking && now() - askedAtMs < ASK_AGAIN_MS) return;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      await asking;
    },
  };
}
