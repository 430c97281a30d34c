import { afterAll, beforeAll, expect, test } from "vitest";
import { callRpc, type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
beforeAll(async () => {
  chain = await startSandboxChain();
});
afterAll(() => chain.close());

const ask = (params: unknown) => callRpc(chain.url, "bridge.get_post", params);

test("a post has the fields and the amounts of the community index", async () => {
  const { result } = await ask({ author: "bob", permlink: "a-paywall-in-eight-lines", observer: "" });
  expect(result).toMatchObject({
    title: "A paywall in eight lines",
    depth: 0,
    is_paidout: true,
    payout: 42.42,
    pending_payout_value: "0.000 HBD",
    author_payout_value: "21.210 HBD",
    curator_payout_value: "21.210 HBD",
    max_accepted_payout: "1000000.000 HBD",
    stats: { gray: false, hide: false, total_votes: 0, flag_weight: 0 },
    community: "hive-100002",
    community_title: "Hive Developers",
    author_role: "owner",
    url: "/hive-100002/@bob/a-paywall-in-eight-lines",
    created: "2026-01-01T00:00:00",
    payout_at: "2026-01-08T00:00:00",
  });
});

test("arguments are accepted by name or by position, and their errors match the index's", async () => {
  expect((await ask(["alice", "light-in-the-valley"])).result).toMatchObject({ author: "alice" });
  const messageOf = async (params: unknown) => {
    const { error } = await ask(params);
    return [error?.code, error?.message];
  };
  const fault = (text: string) => [-32602, `Assert Exception:${text}`];
  expect(await messageOf({ author: "alice" })).toEqual(fault("missing a required argument: 'permlink'"));
  expect(await messageOf({ author: "alice", permlink: "" })).toEqual(fault("permlink cannot be blank"));
  expect(await messageOf({ author: "alice", permlink: "x".repeat(257) })).toEqual(
    fault("invalid permlink length"),
  );
  expect(await messageOf({ author: "Alice", permlink: "x" })).toEqual(fault("invalid account char"));
  expect(await messageOf({ author: "nobody-x", permlink: "x" })).toEqual(
    fault("Post nobody-x/x does not exist"),
  );
  expect(await messageOf(["alice", "x", "", ""])).toEqual(fault("too many positional arguments"));
});
