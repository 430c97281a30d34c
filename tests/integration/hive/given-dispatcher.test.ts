import { MockAgent } from "undici";
import { expect, test } from "vitest";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { ask, chainId } from "../../harness/hive-nodes.ts";

test("calls use the caller's dispatcher, which the client leaves open", async () => {
  const answers = new MockAgent();
  answers.disableNetConnect();
  const node = answers.get("http://node.invalid");
  const version = { jsonrpc: "2.0", id: 1, result: { chain_id: chainId } };
  node.intercept({ path: "/", method: "POST", body: /get_version/ }).reply(200, version);
  node
    .intercept({ path: "/", method: "POST", body: /test\.call/ })
    .reply(200, { jsonrpc: "2.0", id: 1, result: "good" })
    .times(2);
  const open = () => createHiveClient({ nodes: ["http://node.invalid"], chainId, dispatcher: answers });
  for (const client of [open(), open()]) {
    node.intercept({ path: "/", method: "POST", body: /get_version/ }).reply(200, version);
    expect(await ask(client)).toBe("good");
    await client.close();
  }
  await answers.close();
});
