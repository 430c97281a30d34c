import { assertion } from "../errors.ts";
import { formatTime, readText } from "../parse/fields.ts";
import { createAssetRenderer } from "../render/account.ts";
import { type Api, readArguments } from "./method.ts";

const nothingOf = (least: number, most: number) => (params: unknown) => {
  const [account] = readArguments(params, least, most);
  readText(account);
  return [];
};

/**
 * What a wallet's first page asks of `condenser_api` beside the balances: nobody here converts, trades or powers down,
 * and one HIVE is worth a quarter of an HBD.
 */
export const walletReads: Api = {
  get_reward_fund(params, { chain, head }) {
    const [name] = readArguments(params, 1, 1);
    if (readText(name) !== "post") throw assertion("fund != nullptr", "Invalid reward fund name");
    return {
      id: 0,
      name: "post",
      reward_balance: createAssetRenderer("text", chain.symbols)(800_000_000n, "HIVE"),
      recent_claims: "400000000000000000",
      last_update: formatTime(head.time),
      content_constant: "2000000000000",
      percent_curation_rewards: 5000,
      percent_content_rewards: 10000,
      author_reward_curve: "linear",
      curation_reward_curve: "linear",
    };
  },
  get_current_median_history_price(_, { chain }) {
    const asset = createAssetRenderer("text", chain.symbols);
    return { base: asset(250n, "HBD"), quote: asset(1000n, "HIVE") };
  },
  get_conversion_requests: nothingOf(1, 1),
  get_collateralized_conversion_requests: nothingOf(1, 1),
  get_open_orders: nothingOf(1, 1),
  get_withdraw_routes: nothingOf(1, 2),
};
