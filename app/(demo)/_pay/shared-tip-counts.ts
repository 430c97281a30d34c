import { callApi } from "../_session/api.ts";
import { createTipCounts, type TipCount } from "./tip-counts.ts";

/** The page's one memory of tips. */
export const sharedTipCounts = createTipCounts(
  async (ids) =>
    (await callApi<{ tips: Record<string, TipCount> }>(`/api/demo/tips?posts=${ids.join(",")}`)).tips,
);
