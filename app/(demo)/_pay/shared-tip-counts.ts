import { gateway } from "../_session/gateway.ts";
import { createTipCounts, type TipCount } from "./tip-counts.ts";

/** The page's one memory of tips. */
export const sharedTipCounts = createTipCounts(
  async (ids) =>
    (
      await gateway.request<{ tips: Record<string, TipCount> }>("/api/demo/tips", {
        query: { posts: ids.join(",") },
      })
    ).tips,
);
