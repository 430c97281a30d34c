import { z } from "zod";
import { version2NameOf } from "../../chains.ts";
import type { FacilitatorCalls } from "./facilitator-client.ts";

const ASK_AGAIN_MS = 60_000;
/** The pause after no answer. */
const SILENT_MS = 5000;

const Supported = z.object({
  kinds: z
    .array(
      z.object({
        network: z.string(),
        extra: z
          .object({ assetTransferMethods: z.array(z.string().max(64)).max(16).optional().catch(undefined) })
          .optional()
          .catch(undefined),
      }),
    )
    .max(64),
});

/**
 * Creates a check that asks the facilitator, about once a minute, whether it finds sent transfers. An unreachable
 * facilitator leaves its last answer valid. Before the first answer, only one in this process is trusted to find them.
 */
export function createTransferSupport(
  { network, isOwn }: { network: string; isOwn: boolean },
  facilitator: Pick<FacilitatorCalls, "supported">,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  const names = [network, version2NameOf(network)];
  let isSupported = isOwn;
  let asking: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const ask = async () => {
    askedAtMs = now();
    const { data } = Supported.safeParse(await facilitator.supported().catch(() => null));
    if (data === undefined) askedAtMs += SILENT_MS - ASK_AGAIN_MS;
    else
      isSupported = data.kinds.some(
        (kind) => names.includes(kind.network) && kind.extra?.assetTransferMethods?.includes("memo"),
      );
  };
  return async () => {
    if (!asking && now() - askedAtMs >= ASK_AGAIN_MS)
      asking = ask().finally(() => {
        asking = undefined;
      });
    await asking;
    return isSupported;
  };
}
