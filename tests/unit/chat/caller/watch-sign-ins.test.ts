import { afterEach, expect, it } from "vitest";
import type { Chat } from "#lib/chat/caller/chat.ts";
import { watchSignIns } from "#lib/chat/caller/watch-sign-ins.ts";
import { log } from "#lib/log.ts";
import { soon } from "../../../harness/soon.ts";

log("silent");

let endWatch = () => {};
afterEach(() => endWatch());

/** Watches this many accounts. The test answers each question to the chain, Mattermost or the vault. */
function watchAccounts(count: number) {
  const accounts = Array.from({ length: count }, (_, index) => `account-${index}`);
  const asked = { chain: 0, mattermost: 0, vault: new Set<string>() };
  const waiting: Array<() => void> = [];
  let rounds = 0;
  const answered = () => new Promise<void>((resolve) => waiting.push(resolve));
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [["STM1", 1]] };
  const account = (name: string) => ({
    ...{ name, owner: authority, active: authority, posting: authority, hbd_balance: "0.000 HBD" },
  });
  const node = {
    async read(
      _: string,
      { accounts: names }: { accounts: string[] },
      schema: { parse(answer: object): unknown },
    ) {
      asked.chain += 1;
      await answered();
      return schema.parse({ accounts: names.map(account) });
    },
  };
  const chat = {
    store: { setIfAbsent: async (key: string) => key === "sign-ins:round" && ++rounds === 1 },
    vault: {
      listSignedIn: async () => accounts,
      async read(name: string) {
        asked.vault.add(name);
        await answered();
        return { signIns: [], endedBeforeMs: 0, sealed: null };
      },
    },
    unlisted: { list: async () => [] },
    hive: {
      agree: async (read: (from: typeof node) => Promise<unknown>) => Promise.all([read(node), read(node)]),
    },
    identities: { userOf: async (name: string) => name },
    admin: {
      async read() {
        asked.mattermost += 1;
        await answered();
        return [];
      },
    },
  };
  endWatch = watchSignIns(() => chat as unknown as Chat, { everyMs: 5, roundSeconds: 1 });
  return {
    asked,
    answer() {
      for (const go of waiting.splice(0)) go();
    },
  };
}

it("checks up to four hundred accounts at once", async () => {
  const { asked } = watchAccounts(2000);
  await soon(() => expect(asked).toMatchObject({ chain: 8, mattermost: 4 }));
  expect(asked.vault.size).toBe(0);
});

it("reads the authorities of a hundred accounts in one call to each node", async () => {
  const { asked, answer } = watchAccounts(100);
  await soon(() => expect(asked.chain).toBe(2));
  answer();
  await soon(() => expect(asked.vault.size).toBe(100));
});

it("checks every account exactly once", async () => {
  const { asked, answer } = watchAccounts(2050);
  await soon(() => {
    answer();
    expect(asked.vault.size).toBe(2050);
  });
  expect(asked).toMatchObject({ chain: 42, mattermost: 21 });
});
