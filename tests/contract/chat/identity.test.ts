import { describe, expect, it } from "vitest";
import { createIdentities, createUserAddresses } from "../../../lib/chat/access/identities.ts";
import { request } from "../../harness/start-chat.ts";
import { formerAddress, secret, useIdentities } from "../../harness/use-identities.ts";

describe("the chat user of an account", () => {
  const {
    chat,
    gateway,
    restart,
    loseStore,
    withStore,
    enter,
    expectRefused,
    nameOf,
    rename,
    signUp,
    canSignIn,
  } = useIdentities();

  describe("while another user has its name", () => {
    it("is refused after that user renamed herself, and she gets no further token", async () => {
      const [mallory, shop] = [await chat().newAccount(), await chat().newAccount()];
      const hers = await enter(mallory);
      await rename(hers.userId, shop, hers.token);
      for (let turn = 0; turn < 2; turn++) {
        await expectRefused(shop);
        await restart();
      }
      expect(await chat().tokensOf(hers.userId)).toHaveLength(1);
    });

    it.each<[string, (account: string) => string]>([
      ["an address of their own", (account) => `${account}@mail.example`],
      ["the address that earlier versions assigned", formerAddress],
      [
        "an address made up to look like the gateway's",
        (a) => `${a}.${"0".repeat(32)}@users.hivegate.invalid`,
      ],
    ])("is refused after that user signed up with %s", async (_, addressOf) => {
      const shop = await chat().newAccount();
      const squatter = await signUp(shop, addressOf(shop));
      await expectRefused(shop);
      await loseStore();
      await expectRefused(shop);
      expect(await chat().tokensOf(squatter.id)).toEqual([]);
      expect(await canSignIn(shop)).toBe(true);
    });

    it("is refused even when that user is deactivated", async () => {
      const shop = await chat().newAccount();
      const { id } = await signUp(shop);
      await chat().ask("PUT", `/users/${id}/active`, { active: false });
      await expectRefused(shop);
    });

    it("is created once that user's next sign-in restores her own name", async () => {
      const [mallory, shop] = [await chat().newAccount(), await chat().newAccount()];
      const hers = await enter(mallory);
      await rename(hers.userId, shop, hers.token);
      await expectRefused(shop);
      expect((await enter(mallory)).userId).toBe(hers.userId);
      expect(await nameOf(hers.userId)).toBe(mallory);
      expect((await enter(shop)).userId).not.toBe(hers.userId);
    });
  });

  describe("with a recorded id", () => {
    it("is renamed back after an admin renamed it, with the same token and 3 calls", async () => {
      const name = await chat().newAccount();
      const first = await enter(name);
      await rename(first.userId, `${name}-renamed`);
      chat().proxy.forget();
      expect(await enter(name)).toEqual(first);
      expect(chat().calls()).toHaveLength(3);
      expect(await nameOf(first.userId)).toBe(name);
    });

    it("is found and renamed back even if its token was revoked meanwhile", async () => {
      const name = await chat().newAccount();
      const { userId } = await enter(name);
      const [made] = await chat().tokensOf(userId);
      await chat().ask("POST", "/users/tokens/revoke", { token_id: made?.id });
      await rename(userId, `${name}-renamed`);
      expect((await enter(name)).userId).toBe(userId);
      expect(await nameOf(userId)).toBe(name);
    });

    it("is refused while another account's user has its name, and the two are never exchanged", async () => {
      const [alice, mallory] = [await chat().newAccount(), await chat().newAccount()];
      const [own, hers] = [await enter(alice), await enter(mallory)];
      await rename(own.userId, `${alice}-renamed`);
      await rename(hers.userId, alice, hers.token);
      await expectRefused(alice);
      expect((await enter(mallory)).userId).toBe(hers.userId);
      expect((await enter(alice)).userId).toBe(own.userId);
      expect([await nameOf(own.userId), await nameOf(hers.userId)]).toEqual([alice, mallory]);
    });

    it("is created again after a permanent deletion, unless another user has its address", async () => {
      const [gone, copied] = [await chat().newAccount(), await chat().newAccount()];
      await withStore(async (store) => {
        for (const [index, name] of [gone, copied].entries())
          await createIdentities(store).bind(name, `${index}`.padEnd(26, "x"));
      });
      const { userId } = await enter(gone);
      expect((await enter(gone)).userId).toBe(userId);
      await signUp(copied, createUserAddresses(secret).of(copied));
      await expectRefused(copied);
    });
  });

  describe("after a store loss", () => {
    it("is found by the address that only the gateway can assign, even if its owner never signed in", async () => {
      const [name, invited] = [await chat().newAccount(), await chat().newAccount()];
      const { userId, token } = await enter(name);
      const headers = { authorization: `Bearer ${token}` };
      const direct = await request(
        "POST",
        `${gateway().url}/api/chat/direct`,
        { username: invited },
        headers,
      );
      expect(direct.status).toBe(200);
      const { body: made } = await chat().ask("GET", `/users/username/${invited}`);
      await loseStore();
      expect((await enter(name)).userId).toBe(userId);
      expect((await enter(invited)).userId).toBe(made.id);
    });

    it("is found under another name, and not handed to the account of that name", async () => {
      const [mallory, shop] = [await chat().newAccount(), await chat().newAccount()];
      const hers = await enter(mallory);
      await rename(hers.userId, shop, hers.token);
      await loseStore();
      await expectRefused(shop);
      expect((await enter(mallory)).userId).toBe(hers.userId);
      expect(await nameOf(hers.userId)).toBe(mallory);
    });

    it("is not replaced by a squatter on its former name", async () => {
      const name = await chat().newAccount();
      const { userId } = await enter(name);
      await rename(userId, `${name}-renamed`);
      const squatter = await signUp(name);
      await loseStore();
      await expectRefused(name);
      await rename(squatter.id, `${name}-squatter`);
      expect((await enter(name)).userId).toBe(userId);
    });
  });
});
