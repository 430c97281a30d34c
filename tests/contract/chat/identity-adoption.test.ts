import { describe, expect, it } from "vitest";
import { formerAddress, useIdentities } from "../../harness/use-identities.ts";

describe("the chat user from an earlier version without bindings", () => {
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

  it("is adopted, and everyone else who could sign in to it is shut out", async () => {
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
  ])("admits no one when %s fails, and is adopted on the next sign-in", async (_, callOf) => {
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

  it("is adopted without any of its 201 old tokens", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    for (let count = 0; count < 200; count++) await mintToken(id);
    const last = await mintToken(id);
    await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
    await enter(name);
    expect(await worksFor(last.token)).toBe(false);
    expect(await chat().tokensOf(id)).toHaveLength(1);
  });

  it("is adopted after a store loss if it has a token that a gateway created", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    await mintToken(id, "hivegate chat 2026-01-01T00:00:00.000Z");
    expect((await enter(name)).userId).toBe(id);
    expect(await canSignIn(name)).toBe(false);
  });

  it("is adopted after a logout if the store has the record of an earlier bootstrap", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
    expect((await enter(name)).userId).toBe(id);
    expect(await canSignIn(name)).toBe(false);
  });

  it("is renamed back when it is adopted", async () => {
    const name = await chat().newAccount();
    const { id } = await signUp(name, formerAddress(name));
    await storeToken(name, await mintToken(id), id);
    await rename(id, `${name}-renamed`);
    expect((await enter(name)).userId).toBe(id);
    expect(await nameOf(id)).toBe(name);
  });

  it("is never adopted by another account, even if an earlier version stored its token for that account", async () => {
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

  it("is refused to another account once it is bound, and the token stored for that account is revoked", async () => {
    const [mallory, shop] = [await chat().newAccount(), await chat().newAccount()];
    const hers = await enter(mallory);
    const mistaken = await mintToken(hers.userId);
    await storeToken(shop, mistaken, hers.userId);
    await rename(hers.userId, shop, hers.token);
    await expectRefused(shop);
    expect([await worksFor(hers.token), await worksFor(mistaken.token)]).toEqual([true, false]);
  });

  it("is left to the operator if it lacks the gateway's address, because it may be another person's", async () => {
    const name = await chat().newAccount();
    const { id, session } = await signUp(name);
    await storeToken(name, await mintToken(id), id);
    await expectRefused(name);
    expect([await worksFor(session), await canSignIn(name)]).toEqual([true, true]);
  });
});
