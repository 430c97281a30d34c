import { describe, expect, it } from "vitest";
import { formerAddress, useIdentities } from "../../harness/use-identities.ts";

describe("the chat user of an account made by an earlier version, which kept no bindings", () => {
  const {
    chat,
    restart,
    loseStore,
    withStore,
    bootstrap,
    enter,
    expectRefused,
    nameOf,
    rename,
    signUp,
    mintToken,
    worksFor,
    canSignIn,
    storeToken,
  } = useIdentities();

  it("is adopted, and whoever else could sign in to it is shut out, by its stored token of no key too", async () => {
    const name = await chat().newAccount();
    const { id, session } = await signUp(name, formerAddress(name));
    const [own, foreign] = [await mintToken(id), await mintToken(id)];
    await storeToken(name, own, id);
    const { userId, token } = await enter(name);
    expect([userId, await worksFor(token)]).toEqual([id, true]);
    expect([await worksFor(own.token), await worksFor(foreign.token)]).toEqual([false, false]);
    expect([await worksFor(session), await canSignIn(name)]).toEqual([false, false]);
    await loseStore();
    expect((await enter(name)).userId).toBe(id);
  });

  it.each<[string, (id: string) => string]>([
    ["the listing of its tokens", (id) => `GET /users/${id}/tokens`],
    ["the revoking of a token", () => "POST /users/tokens/revoke"],
    ["the end of its sessions", (id) => `POST /users/${id}/sessions/revoke/all`],
  ])("keeps nobody in when %s failed, and is the account's when it comes back", async (_, callOf) => {
    const name = await chat().newAccount();
    const { id, session } = await signUp(name, formerAddress(name));
    const [made, foreign] = [await mintToken(id, "hivegate chat 2026-01-01"), await mintToken(id)];
    await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
    chat().proxy.treat(({ method, path }) =>
      `${method} ${path}` === callOf(id) ? { status: 500, text: "{}" } : "pass",
    );
    expect((await bootstrap(name)).body.token).toBeUndefined();
    chat().proxy.treat(() => "pass");
    await restart();
    expect((await enter(name)).userId).toBe(id);
    expect([await worksFor(made.token), await worksFor(foreign.token)]).toEqual([false, false]);
    expect([await worksFor(session), await canSignIn(name)]).toEqual([false, false]);
  });

  it("is adopted without any of its tokens, however many there are", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    for (let count = 0; count < 200; count++) await mintToken(id);
    const last = await mintToken(id);
    await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
    await enter(name);
    expect(await worksFor(last.token)).toBe(false);
    expect(await chat().tokensOf(id)).toHaveLength(1);
  });

  it("is adopted by a token that a gateway made, when the store with it is lost", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    await mintToken(id, "hivegate chat 2026-01-01T00:00:00.000Z");
    expect((await enter(name)).userId).toBe(id);
    expect(await canSignIn(name)).toBe(false);
  });

  it("is adopted by the note of an earlier bootstrap, when it logged out since", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
    expect((await enter(name)).userId).toBe(id);
    expect(await canSignIn(name)).toBe(false);
  });

  it("is adopted and called by its name again when it was renamed", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    await storeToken(name, await mintToken(id), id);
    await rename(id, `${name}-renamed`);
    expect((await enter(name)).userId).toBe(id);
    expect(await nameOf(id)).toBe(name);
  });

  it("is not the one that an earlier version let it into, who was made for another account", async () => {
    const [mallory, shop] = [await chat().newAccount(), await chat().newAccount()];
    const { id } = await signUp(mallory, formerAddress(mallory));
    const [hers, mistaken] = [await mintToken(id), await mintToken(id)];
    await storeToken(mallory, hers, id);
    await storeToken(shop, mistaken, id);
    await rename(id, shop);
    await expectRefused(shop);
    const { userId, token } = await enter(mallory);
    expect([userId, await worksFor(token)]).toEqual([id, true]);
    expect([await worksFor(hers.token), await worksFor(mistaken.token)]).toEqual([false, false]);
    expect((await enter(shop)).userId).not.toBe(id);
  });

  it("takes back the token that let it into a user who is bound to somebody else", async () => {
    const [mallory, shop] = [await chat().newAccount(), await chat().newAccount()];
    const hers = await enter(mallory);
    const mistaken = await mintToken(hers.userId);
    await storeToken(shop, mistaken, hers.userId);
    await rename(hers.userId, shop, hers.token);
    await expectRefused(shop);
    expect([await worksFor(hers.token), await worksFor(mistaken.token)]).toEqual([true, false]);
  });

  it("is left to the operator when its address is not the gateway's: it may be another person's", async () => {
    const name = await chat().newAccount();
    const { id, session } = await signUp(name);
    await storeToken(name, await mintToken(id), id);
    await expectRefused(name);
    expect([await worksFor(session), await canSignIn(name)]).toEqual([true, true]);
  });
});
