import { expect, it } from "vitest";
import { createPreviews } from "#lib/chat/media/previews.ts";
import { CodedError } from "#lib/errors.ts";
import type { ChainReader } from "#lib/hive/chain-reader.ts";
import type { Outside } from "#lib/outside/fetch-outside.ts";

const address = new URL("https://hive.blog/@alice/valley");
const post = {
  ...{ author: "alice", permlink: "valley", title: "As the chain has it", is_paidout: false },
  ...{ pending_payout_value: "1.000 HBD", author_payout_value: "0.000 HBD" },
  ...{ curator_payout_value: "0.000 HBD", max_accepted_payout: "1000.000 HBD" },
};

it("previews a chain post by its web page while the chain is unreachable, and by the chain afterwards", async () => {
  let isAway = true;
  let now = 0;
  const chain = {
    read: async (_method: string, _params: unknown, schema: { parse(value: unknown): unknown }) => {
      if (isAway) throw new CodedError("chain_unavailable");
      return schema.parse(post);
    },
  } as unknown as ChainReader;
  const page = Buffer.from("<title>As the site has it</title>");
  const outside = {
    fetch: async () => ({ url: address, bytes: page, header: () => "text/html" }),
  } as unknown as Outside;
  const find = createPreviews({ chain, outside, privateHosts: [] }, () => now);
  expect(await find(address, "reader")).toMatchObject({ kind: "page", title: "As the site has it" });
  isAway = false;
  now = 60_001;
  expect(await find(address, "reader")).toMatchObject({ kind: "hive_post", title: "As the chain has it" });
});
