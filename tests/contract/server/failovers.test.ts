import { afterEach, beforeEach, expect, it } from "vitest";
import { createAuthClient } from "../../harness/auth-client.ts";
import { type ChatWorld, startChatWorld } from "../../harness/start-chat-world.ts";

const METRICS_TOKEN = "a-token-for-failovers";
const COMMUNITY = "hive-100001";

let world: ChatWorld;
beforeEach(async () => {
  world = await startChatWorld({ chainNodes: 3, settings: { METRICS_TOKEN } });
});
afterEach(() => world.close());

/** Makes the first node leave calls of this method unanswered. Every call uses that node until it fails. */
const cutFirstNode = (method: string) => world.chain.setFault({ kind: "cut", method });

/** Returns the number of failovers to the next node, as the operator reads it. */
async function countFailovers(): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${world.gateway.url}/api/metrics`, { headers })).text();
  return Number(/^hivegate_chain_failovers_total\{call="read"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

it("the failover metric counts a chain node that fails a sign-in", async () => {
  await cutFirstNode("database_api.find_accounts");
  await createAuthClient(() => world.gateway.url).login();
  expect(await countFailovers()).toBe(1);
});

it("the failover metric counts a chain node that fails a bootstrap", async () => {
  await cutFirstNode("bridge.list_all_subscriptions");
  await world.login("alice", COMMUNITY);
  expect(await countFailovers()).toBe(1);
});

it("the failover metric counts a chain node that fails a moderator's deletion", async () => {
  const bob = await world.login("bob", COMMUNITY);
  const carol = await world.login("carol", COMMUNITY);
  const post = await bob.post(bob.channelId, "unwanted");
  expect(await countFailovers()).toBe(0);
  await cutFirstNode("bridge.get_community_context");
  const answer = await carol.api("DELETE", `/channels/${bob.channelId}/posts/${post.id}`);
  expect(answer.status).toBe(200);
  expect(await countFailovers()).toBe(1);
});
